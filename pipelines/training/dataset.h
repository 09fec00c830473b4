// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// A box in pixels of its photograph, counted from 0.
struct Box {
  float x = 0, y = 0, width = 0, height = 0;
};

/// A photograph and what stands in it.
struct Photograph {
  std::string name;  ///< the file's name without folder: the key that detection files use
  std::string path;
  std::vector<Box> people;
  std::vector<Box> ignored;  ///< neither a person that must be found nor a mistake to find
};

/// Photographs with boxes of people, in order of their names.
struct Dataset {
  std::string layout;  ///< "Penn-Fudan" or "MOTChallenge"
  std::vector<Photograph> photographs;
};

/// Reads the boxes of a folder; the pictures themselves are left unread. Two layouts:
///
/// Penn-Fudan: `images/` and `annotations/` (PASCAL annotation 1.00 as text), matched by stem.
/// Every box is a person.
///
/// MOTChallenge: `gt/gt.txt` and the frames in `img1/` (or the imDir of `seqinfo.ini`). Column 7 is
/// the flag "consider this entry". In files of nine columns (from MOT16 on) column 8 is the class:
/// class 1 with flag 1 is a person; classes 2, 7, 8 and 12 (person on a vehicle, static person,
/// distractor, reflection) and class 1 with flag 0 are ignored; other classes are left out. In
/// files of ten columns (MOT15) entries of flag 0 are ignored, all others are people.
///
/// Boxes of both count pixels from 1 and are moved to 0; those of MOTChallenge are clipped to the
/// frame when seqinfo.ini states its size. Throws std::runtime_error that names the file and the
/// line.
Dataset read_dataset(const std::string& folder);

}  // namespace tandem
