// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

namespace tandem {

inline constexpr int kInterruptedStatus = 130;  ///< what a shell reports after Ctrl-C

/// Each takes the words behind the command's name and returns the exit status: 0 done, 1 failed,
/// 130 ended early by Ctrl-C. Throws UsageError and Failure, which main() prints.
int run_command(const std::vector<std::string>& arguments);
int bench_command(const std::vector<std::string>& arguments);
int report_command(const std::vector<std::string>& arguments);
int train_detector_command(const std::vector<std::string>& arguments);
int train_scenes_command(const std::vector<std::string>& arguments);
int evaluate_detector_command(const std::vector<std::string>& arguments);
int evaluate_scenes_command(const std::vector<std::string>& arguments);
int evaluate_tracks_command(const std::vector<std::string>& arguments);
int inspect_model_command(const std::vector<std::string>& arguments);
int new_stage_command(const std::vector<std::string>& arguments);
int generate_command(const std::vector<std::string>& arguments);
int streams_command(const std::vector<std::string>& arguments);
int check_stage_command(const std::vector<std::string>& arguments);
int knowledge_command(const std::vector<std::string>& arguments);
int submit_command(const std::vector<std::string>& arguments);
int worker_command(const std::vector<std::string>& arguments);
int gather_command(const std::vector<std::string>& arguments);
int jobs_command(const std::vector<std::string>& arguments);
int doctor_command(const std::vector<std::string>& arguments);

}  // namespace tandem
