import { z } from 'zod'

/**
 * An object with at most `max` entries. They are counted before they are read, because a wrong one costs as much as a
 * small body.
 */
export function limitedRecord<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  max: number,
) {
  const record = z.record(key, value)
  const counted = z.preprocess((given, context) => {
    if (typeof given !== 'object' || given === null || Object.keys(given).length <= max) return given
    context.addIssue(`must have at most ${max} entries`)
    return z.NEVER
  }, record)
  return counted as z.ZodType<z.output<typeof record>, z.input<typeof record>>
}
