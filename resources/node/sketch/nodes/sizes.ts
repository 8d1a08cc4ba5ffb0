/** Sizes that this worker takes on. */

// Most pixels of a picture and of a batch. Source: ours; 16 million are 0.5 GB while they are painted.
const PICTURE_MAX = 16 * 1024 * 1024
const BATCH_MAX = 32 * 1024 * 1024
// Most pictures of a batch, as of the field's server; small ones would be millions.
const COUNT_MAX = 4096

/** Refuses what would not fit into memory. @throws Error that says what to do */
export function checkSize(width: number, height: number, count = 1): void {
  if (width < 1 || height < 1) throw new Error(`${width} x ${height} pixels are too small. Choose a larger size.`)
  if (width * height > PICTURE_MAX)
    throw new Error(
      `${width} x ${height} pixels are more than the stand-in can draw (16 million). Choose a smaller size.`,
    )
  if (count > COUNT_MAX || width * height * count > BATCH_MAX)
    throw new Error(`${count} pictures of ${width} x ${height} pixels are too many at once. Choose a smaller batch.`)
}
