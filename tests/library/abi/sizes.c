/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes and places of what the headers show, one a line: the frozen headers and those of today have
 * to print the same. */
#include <gst/tandem/tandem.h>
#include <stdio.h>

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define PLACE(type, field) printf(#type "." #field " %zu\n", G_STRUCT_OFFSET(type, field))

int main(void) {
  SIZE(GstTandemTensorMeta);
  PLACE(GstTandemTensorMeta, name);
  PLACE(GstTandemTensorMeta, element_type);
  PLACE(GstTandemTensorMeta, dimensions);
  PLACE(GstTandemTensorMeta, shape);
  PLACE(GstTandemTensorMeta, memory);
  SIZE(GstTandemMotionVector);
  SIZE(GstTandemMotionMeta);
  PLACE(GstTandemMotionMeta, count);
  PLACE(GstTandemMotionMeta, vectors);
  PLACE(GstTandemMotionMeta, memory);
  SIZE(GstTandemStage);
  SIZE(GstTandemStageClass);
  PLACE(GstTandemStageClass, describe);
  PLACE(GstTandemStageClass, get_rounds);
  PLACE(GstTandemStageClass, make_work);
  PLACE(GstTandemStageClass, compute);
  PLACE(GstTandemStageClass, combine);
  PLACE(GstTandemStageClass, enqueue);
  PLACE(GstTandemStageClass, publish);
  PLACE(GstTandemStageClass, add_settings);
  PLACE(GstTandemStageClass, fits);
  PLACE(GstTandemStageClass, prepare);
  PLACE(GstTandemStageClass, collect);
  PLACE(GstTandemStageClass, enqueue_rows);
  PLACE(GstTandemStageClass, needs);
  PLACE(GstTandemStageClass, get_row_begin);
  PLACE(GstTandemStageClass, join);
  printf("keeps work %d\n", GST_TANDEM_PARAM_KEEPS_WORK);
  printf("element types %d %d %d\n", GST_TANDEM_ELEMENT_TYPE_UINT8, GST_TANDEM_ELEMENT_TYPE_INT32,
         GST_TANDEM_ELEMENT_TYPE_FLOAT32);
  return 0;
}
