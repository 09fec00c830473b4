# SPDX-License-Identifier: LGPL-2.1-or-later
"""Converts a tiny network of NanoDet's operators, compares the result with NumPy, and shows that damage is reported."""
import base64
import configparser
import contextlib
import copy
import hashlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

try:
    import numpy as np
    import onnx
except ImportError:
    DEBIANS = "/usr/bin/python3"  # which need not be the first in the path
    if sys.executable != DEBIANS and os.access(DEBIANS, os.X_OK):
        os.execv(DEBIANS, [DEBIANS, "-B", *sys.argv])
    print("needs python3-numpy and python3-onnx")
    sys.exit(77)

from tiny_nanodet import COLUMNS, ROWS, Tiny, sampled, windows

TOOL = pathlib.Path(__file__).resolve().parents[3] / "tools/networks/convert_nanodet"
sys.path.append(str(TOOL.parent))
LOADER = importlib.machinery.SourceFileLoader("convert_nanodet", str(TOOL))
convert_nanodet = importlib.util.module_from_spec(importlib.util.spec_from_loader("convert_nanodet", LOADER))
LOADER.exec_module(convert_nanodet)

TOLERANCE = 1e-5  # of the largest value: rounding of float32


def conv(x, weights, bias, strides, pads, **_):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    view = windows(x.transpose(0, 2, 3, 1), weights.shape[2:], strides[0])
    return np.einsum("nyxcij,mcij->nmyx", view, weights) + bias.reshape(1, -1, 1, 1)


def max_pool(x, strides, pads, kernel_shape):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=-np.inf)
    return windows(x.transpose(0, 2, 3, 1), kernel_shape, strides[0]).max((4, 5)).transpose(0, 3, 1, 2)


def resize(x, _, __, sizes, mode, coordinate_transformation_mode):
    assert mode == b"linear", mode
    place = {b"half_pixel": lambda i, size, count: (i + 0.5) / (count / size) - 0.5,
             b"align_corners": lambda i, size, count: i * (size - 1) / (count - 1),
             b"asymmetric": lambda i, size, count: i / (count / size)}[coordinate_transformation_mode]
    rows, columns = (place(np.arange(sizes[axis]), x.shape[axis], sizes[axis]) for axis in (2, 3))
    return sampled(x[0].transpose(1, 2, 0), rows, columns).transpose(2, 0, 1)[None]


ONNX = {
    "Add": lambda a, b: a + b, "Concat": lambda *parts, axis: np.concatenate(parts, axis), "Conv": conv,
    "LeakyRelu": lambda x, alpha: np.where(x < 0, alpha * x, x), "MaxPool": max_pool, "Resize": resize,
    "Reshape": lambda x, shape: x.reshape(shape), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Split": lambda x, axis, split: np.split(x, np.cumsum(split)[:-1], axis),
}


def evaluate(model, image):
    values = {one.name: onnx.numpy_helper.to_array(one) for one in model.graph.initializer}
    values[model.graph.input[0].name] = image
    for node in model.graph.node:
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        result = ONNX[node.op_type](*(values[name] for name in node.input), **attributes)
        values.update(zip(node.output, result if node.op_type == "Split" else [result]))
    return values[model.graph.output[0].name]


class Convert(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        self.out = self.folder / "out.onnx"

    def convert(self, *arguments):
        """Returns the exit status and the errors."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            status = convert_nanodet.main([*map(str, arguments), str(self.out)])
        return status, errors.getvalue()

    def expect_error(self, text, *arguments):
        status, errors = self.convert(*(arguments or ("--package", self.folder)))
        self.assertEqual(status, 1)
        self.assertIn(text, errors)
        self.assertEqual([path for path in self.folder.iterdir() if "out.onnx" in path.name], [])

    def expect_problem(self, text, change):
        """`change` damages the description of a good network."""
        tiny = Tiny()
        model = copy.deepcopy(tiny.model())
        change(model, {node["op"]: node for node in model["modelTopology"]["node"]})
        tiny.write(self.folder, model)
        self.expect_error(text)

    def archive(self):
        """Writes a package as npm has it, whose checksum the tool then expects."""
        Tiny().write(self.folder / "package")
        with tarfile.open(self.folder / "package.tgz", "w:gz") as archive:
            archive.add(self.folder / "package", "package")
        digest = hashlib.sha512((self.folder / "package.tgz").read_bytes()).digest()
        patch = mock.patch.object(convert_nanodet, "SHA512", base64.b64encode(digest).decode())
        patch.start()
        self.addCleanup(patch.stop)
        return self.folder / "package.tgz"

    def test_computes_the_same(self):
        for corners, half, mode in ((False, True, b"half_pixel"), (True, False, b"align_corners"),
                                    (False, False, b"asymmetric")):
            with self.subTest(mode=mode):
                tiny = Tiny(corners, half)
                tiny.write(self.folder)
                self.assertEqual(self.convert("--package", self.folder), (0, ""))
                model = onnx.load(str(self.out))
                expected = tiny.expected()
                error = np.abs(evaluate(model, tiny.image) - expected).max() / np.abs(expected).max()
                self.assertLess(error, TOLERANCE)

    def test_form(self):
        Tiny().write(self.folder)
        done = subprocess.run([sys.executable, TOOL, "--package", self.folder, self.out], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        model = onnx.load(str(self.out))
        self.assertEqual((model.opset_import[0].version, model.ir_version), (11, 6))
        self.assertEqual({node.op_type for node in model.graph.node}, set(ONNX))
        shapes = [[side.dim_value for side in value.type.tensor_type.shape.dim]
                  for value in (model.graph.input[0], model.graph.output[0])]
        places = sum(ROWS // stride * (COLUMNS // stride) for stride in (8, 16, 32))
        self.assertEqual(shapes, [[1, 3, ROWS, COLUMNS], [1, 124, places]])
        self.assertEqual((model.graph.input[0].name, model.graph.output[0].name), ("input_1", "out"))

    def test_model_information(self):
        Tiny().write(self.folder)
        self.convert("--package", self.folder)
        info = configparser.ConfigParser(delimiters="=", comment_prefixes="#", interpolation=None)
        info.read(self.folder / "out.onnx.modelinfo", encoding="utf-8")
        labels = info["tandem"]["labels"].split(",")
        self.assertEqual((len(labels), len(set(labels)), labels[0], labels[-1]), (80, 80, "person", "toothbrush"))
        self.assertEqual((info["tandem"]["decoder"], info["tandem"]["scores"]), ("nanodet", "probabilities"))
        self.assertEqual((info["tandem"]["strides"], info["tandem"]["bins"]), ("8,16,32", "11"))

    def test_takes_the_package(self):
        self.assertEqual(self.convert("--package", self.archive()), (0, ""))

    def test_downloads(self):
        with mock.patch.object(convert_nanodet, "URL", self.archive().as_uri()):
            status, errors = self.convert()
        self.assertEqual(status, 0)
        self.assertRegex(errors, r"(?m)^\d+ of \d+ MB$")

    def test_reports_a_failed_download(self):
        with mock.patch.object(convert_nanodet, "URL", (self.folder / "missing.tgz").as_uri()):
            self.expect_error("add --package FILE", "--")

    def test_reports_a_damaged_package(self):
        package = self.archive()
        package.write_bytes(package.read_bytes()[:-1])
        self.expect_error("its SHA-512 is", "--package", package)

    def test_reports_missing_files(self):
        self.expect_error("models/nanodet.json")
        Tiny().write(self.folder)
        (self.folder / "models/nanodet.bin").unlink()
        self.expect_error("models/nanodet.bin")
        self.expect_error("missing.tgz", "--package", self.folder / "missing.tgz")

    def test_reports_a_missing_folder(self):
        self.out = self.folder / "missing/out.onnx"
        self.expect_error("there is no folder")

    def test_reports_weights_that_are_cut_off_or_too_long(self):
        tiny = Tiny()
        for weights in (tiny.bytes[:-2], tiny.bytes + b"\0\0", b""):
            tiny.write(self.folder, weights=weights)
            self.expect_error(f"describes {len(tiny.bytes)} bytes, but nanodet.bin has {len(weights)}")

    def test_reports_another_description(self):
        for text in ("", "{", "[]", "{}", '{"format": "graph-model"}', "[" * 100000):
            Tiny().write(self.folder, text)
            self.expect_error("nanodet.json is damaged or no graph model")
        self.expect_problem("has the format 'layers-model'", lambda model, _: model.update(format="layers-model"))

    def test_names_what_it_cannot_convert(self):
        def weight(model, **values):
            model["weightsManifest"][0]["weights"][1].update(values)

        def attribute(node, **values):
            node["attr"].update(values)

        same, true = {"s": base64.b64encode(b"SAME").decode()}, {"b": True}
        for text, change in (
                ("(Softmax) is none of the operators", lambda _, nodes: nodes["Sigmoid"].update(op="Softmax")),
                ("only NHWC and VALID", lambda _, nodes: attribute(nodes["Conv2D"], padding=same)),
                ("both align_corners and", lambda _, nodes: attribute(nodes["ResizeBilinear"], align_corners=true)),
                ("Pad with 0.0, not -inf", lambda _, nodes: nodes["PadV2"]["input"].pop()),
                ("is behind a Pad: only", lambda _, nodes: nodes["LeakyRelu"].update(input=[nodes["Pad"]["name"]])),
                ("adds a constant", lambda _, nodes: nodes["Sigmoid"].update(input=[nodes["Conv2D"]["name"]])),
                ("the nodes ['nowhere'] are missing", lambda _, nodes: nodes["Sigmoid"].update(input=["nowhere"])),
                ("has a cycle", lambda _, nodes: nodes["Sigmoid"].update(input=[nodes["Reshape"]["name"]])),
                ("none of", lambda model, _: weight(model, quantization={"dtype": "uint8"})),
                ("none of", lambda model, _: weight(model, dtype="string")),
                ("declares the output", lambda model, _: model["signature"]["outputs"]["Identity:0"]["tensorShape"][
                    "dim"][1].update(size="9")),
                ("not 44 values at each", lambda model, _: model["signature"]["outputs"].pop("Identity_3:0"))):
            with self.subTest(text=text):
                self.expect_problem(text, change)

    def test_reports_shapes_that_do_not_fit(self):
        def swap_kernel(model, _):
            kernel = next(one for one in model["weightsManifest"][0]["weights"] if len(one["shape"]) == 4)
            kernel["shape"][2:] = kernel["shape"][:1:-1]

        self.expect_problem("for 3 channels", swap_kernel)

    def test_reports_weights_that_are_no_numbers(self):
        tiny = Tiny()
        begin = tiny.bytes.find(next(self.kernels(tiny)))
        tiny.write(self.folder, weights=tiny.bytes[:begin] + b"\xff\xff" + tiny.bytes[begin + 2:])
        self.expect_error("has weights that are not finite")

    @staticmethod
    def kernels(tiny):
        begin = 0
        for one in tiny.weights:
            size = int(np.prod(one["shape"])) * (2 if "quantization" in one else 4)
            if len(one["shape"]) == 4:
                yield tiny.bytes[begin:begin + size]
            begin += size

    def test_survives_each_missing_part(self):
        tiny = Tiny()
        for index, node in enumerate(tiny.model()["modelTopology"]["node"]):
            for part in [("input",), *(("attr", key) for key in node["attr"])]:
                model = copy.deepcopy(tiny.model())
                damaged = model["modelTopology"]["node"][index]
                for key in part[:-1]:
                    damaged = damaged[key]
                damaged.pop(part[-1])
                tiny.write(self.folder, model)
                status, errors = self.convert("--package", self.folder)
                # Flags are false and constants have no inputs where nothing is written.
                optional = part[-1] in ("align_corners", "half_pixel_centers") or node["op"] in ("Const", "Placeholder")
                self.assertTrue(status == 1 and errors.startswith("convert_nanodet: nanodet.json") or optional,
                                (node, part, status, errors))

    def test_keeps_what_is_there(self):
        self.out.write_text("older")
        Tiny().write(self.folder, "{")
        self.assertEqual(self.convert("--package", self.folder)[0], 1)
        self.assertEqual(self.out.read_text(), "older")


if __name__ == "__main__":
    unittest.main()
