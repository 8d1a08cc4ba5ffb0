import type { z } from 'zod'

/** Reads what the browser kept for these pages. @returns undefined where there is nothing, or nothing of this form */
export function parseStored<Schema extends z.ZodType>(
  schema: Schema,
  text: string | undefined,
): z.infer<Schema> | undefined {
  if (text === undefined) return undefined
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined // Another version of these pages wrote it, or a person.
  }
}
