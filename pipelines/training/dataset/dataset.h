// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tandem {

/// A box in pixels of its photograph, counted from 0.
struct Box {
  float x = 0, y = 0, width = 0, height = 0;
};

/// A photograph and its objects.
struct Photograph {
  std::string name;  ///< the file's name below the folder of pictures: the key of detection files
  std::string path;
  std::vector<Box> objects;  ///< of the requested class
  std::vector<Box> ignored;  ///< neither an object that must be found nor a mistake to find
};

/// Photographs with boxes of one class, in order of their names.
struct Dataset {
  std::string layout;  ///< "Penn-Fudan", "MOTChallenge", "PASCAL VOC", "COCO" or "YOLO"
  std::vector<Photograph> photographs;
};

struct DatasetOptions {
  std::string format;            ///< one of dataset_formats(); empty: found out
  std::string label = "person";  ///< boxes of other classes are left out
  std::string split;             ///< "train2017", "val": the part that is read; empty: all there is
};

/// The values of DatasetOptions::format: penn-fudan, mot, voc, coco, yolo.
std::span<const char* const> dataset_formats();

/// Reads the boxes of a dataset; of pictures it reads the size alone. Needs gst_init.
///
/// | format | pictures | boxes | ignored | split |
/// | --- | --- | --- | --- | --- |
/// | penn-fudan | `PNGImages/` or `images/` | `Annotation/` or `annotations/`, .txt | | |
/// | mot | `img1/` or imDir of `seqinfo.ini` | `gt/gt.txt` | see below | |
/// | voc | `JPEGImages/`, `images/` or beside | `Annotations/` or beside, .xml | difficult |
///   `ImageSets/Main/SPLIT.txt` |
/// | coco | `file_name` beside the JSON file, in `images/` or a folder of the split's name |
///   `path` itself, or the .json in it or its `annotations/` | iscrowd | a part of its name |
/// | yolo | `images/` or beside | `labels/` or beside, .txt; names in data.yaml, classes.txt or
///   obj.names | | a folder's name |
///
/// Penn-Fudan's boxes all are of the class "person". MOTChallenge's gt.txt has two forms:
///
/// | columns | class | ignored |
/// | --- | --- | --- |
/// | nine (MOT16 and later) | column 8 | with the label "person": a flag (column 7) of 0, and
///   classes that look like people: person on vehicle, static person, distractor, reflection |
/// | ten (MOT15) | all are people | a flag of 0 |
///
/// A box that ends a little outside of its picture is clipped. MOTChallenge's boxes may reach
/// outside by the size of the picture; a box that lies wholly there is left out. All else is an
/// error: other sizes than the picture's, missing pictures, a label that no box has. Throws
/// std::runtime_error that names the file and the line, or the element.
Dataset read_dataset(const std::string& path, const DatasetOptions& options = {});

}  // namespace tandem
