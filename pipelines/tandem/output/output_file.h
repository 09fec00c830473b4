// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

namespace tandem {

/// Throws Failure when no file can be written at `path`, UsageError for standard output (TextOutput
/// is for text that may go there) and for a file that another option writes.
void check_output_file(const std::string& option, const std::string& path);

/// Throws Failure, with the command that makes it, when there is no folder at `path`.
void check_output_folder(const std::string& option, const std::string& path);

/// Throws UsageError when `path` is a FIFO and its kind of video cannot be written without a seek
/// in the file.
void check_can_stream(const std::string& option, const std::string& path);

/// Whether this process has the file of `descriptor`, or the one at `path`, open for reading.
/// Regular files alone: two may use a device or a FIFO.
bool is_being_read(int descriptor);
bool is_being_read(const std::string& path);

/// Throws UsageError when writing `path`, which `option` names, would overwrite what this process
/// reads, or will read from `uri`, by whatever name. An empty URI is no file. Call it after
/// gst_init().
void check_keeps_input(const std::string& option, const std::string& path, const std::string& uri);

/// As above for what the elements of `bin` read: models, stage files.
void check_keeps_files_of(const std::string& option, const std::string& path, GstBin* bin);

/// `path` is an input of this command; an empty one is none. Call it before claim_output().
void claim_input(const std::string& path);

/// Throws UsageError when the file is an input, or was given to another option before; devices are
/// no files.
void claim_output(const std::string& option, const std::string& path);

}  // namespace tandem
