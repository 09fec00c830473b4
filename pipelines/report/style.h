// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace tandem {

/// The report's style sheet: light, dark and on paper.
extern const char* const kReportStyle;

}  // namespace tandem
