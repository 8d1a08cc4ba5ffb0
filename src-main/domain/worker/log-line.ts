/** A line of a worker as people read it. */
export type ReadableLine = { readonly jobId: string | undefined; readonly level: string; readonly line: string }

const CUT_MARK = ' … (cut)'

/**
 * Reads one line that a worker printed. The public worker SDK and svc_worker print JSON with `requestId`, `message` and
 * `level`; anything else is a plain line.
 * @param maxLength longest kept line, in characters
 */
export function readLogLine(raw: string, maxLength: number): ReadableLine {
  const { jobId, level, line } = parse(raw)
  return {
    jobId,
    level,
    line: line.length > maxLength ? `${line.slice(0, maxLength - CUT_MARK.length)}${CUT_MARK}` : line,
  }
}

function parse(raw: string): ReadableLine {
  const plain = { jobId: undefined, level: 'INFO', line: raw }
  if (!raw.startsWith('{')) return plain
  try {
    const value: unknown = JSON.parse(raw)
    if (typeof value !== 'object' || value === null || !('message' in value) || typeof value.message !== 'string')
      return plain
    const jobId = 'requestId' in value && typeof value.requestId === 'string' ? value.requestId : undefined
    const level = 'level' in value && typeof value.level === 'string' ? value.level.toUpperCase() : 'INFO'
    return { jobId, level, line: value.message }
  } catch {
    return plain // a brace at the start is no promise of JSON
  }
}
