/** The line of an error that says most: of the JSON that handlers give the message, of a traceback its end. */
export function errorLine(error: string): string {
  const message = /"error_message":\s*"((?:[^"\\]|\\.)*)"/.exec(error)?.[1]?.replace(/\\n/g, '\n').replace(/\\"/g, '"')
  const lines = (message ?? error).split('\n').filter((line) => line.trim() !== '')
  const isTraceback = lines[0]?.startsWith('Traceback') === true
  return ((isTraceback ? lines.at(-1) : lines[0]) ?? '').trim()
}

/** An error as a person reads it: of the JSON that handlers give, message and traceback. */
export function errorText(error: string): string {
  const given = parsed(error)
  const parts = [given?.error_type, given?.error_message, given?.error_traceback]
  const texts = parts.filter((part): part is string => typeof part === 'string' && part !== '')
  return texts.length === 0 ? error : texts.join('\n')
}

function parsed(error: string): Readonly<Record<string, unknown>> | undefined {
  if (!error.startsWith('{')) return undefined
  try {
    return JSON.parse(error)
  } catch {
    return undefined // a text that only looks like it
  }
}
