/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TANDEM_ERROR_H
#define GST_TANDEM_ERROR_H

#include <gst/tandem/prelude.h>

G_BEGIN_DECLS

/**
 * GstTandemDeviceError:
 * @GST_TANDEM_DEVICE_ERROR_FAILED: the device cannot compute the stage
 *
 * Codes of %GST_TANDEM_DEVICE_ERROR.
 */
typedef enum {
  GST_TANDEM_DEVICE_ERROR_FAILED,
} GstTandemDeviceError;

/**
 * GST_TANDEM_DEVICE_ERROR:
 *
 * The domain of errors of the OpenCL device. The CPU side continues, if the stage has one:
 * #GstTandemStageClass.make_work is called again without a device.
 */
#define GST_TANDEM_DEVICE_ERROR (gst_tandem_device_error_quark())

GST_TANDEM_API
GQuark gst_tandem_device_error_quark(void);

G_END_DECLS

#endif
