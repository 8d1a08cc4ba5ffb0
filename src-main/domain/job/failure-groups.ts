/** Failures by what they have in common: their reasons, with a # for what differs from job to job. */

// First what stays: statuses and codes. Then ids, which hold numbers: with dashes, hexadecimal, long words of letters
// and digits. Last any number. Source: ours.
const DIFFERS = new RegExp(
  [
    String.raw`(^\d{3}(?=: )|\b(?:HTTP|status|code|errno):? \d+)`,
    String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\w+)?\b`,
    String.raw`\b0x[0-9a-f]+\b`,
    String.raw`\b(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{10,}\b`,
    String.raw`\d+(?:[.,:]\d+)*`,
  ].join('|'),
  'gi',
)

/** A reason with a # for each number and id. */
export function failurePattern(reason: string): string {
  return reason.replace(DIFFERS, (_found, stays: string | undefined) => stays ?? '#')
}

/** One failure, or several with the same reason, and one of their jobs. */
export type Failure = { readonly reason: string; readonly count: number; readonly jobId?: string | undefined }

/** Failures in groups, which are the most frequent first. */
export type FailureGroups = {
  readonly add: (failure: Failure) => void
  readonly all: () => readonly Failure[]
}

/**
 * Groups failures. A group whose reasons are all the same says it as it is. Those without a job stay apart.
 * @param most how many groups; further reasons are counted together
 */
export function createFailureGroups(most = Number.POSITIVE_INFINITY): FailureGroups {
  const groups = new Map<string, Failure>()
  return {
    add(failure) {
      const pattern = failurePattern(failure.reason)
      const own = `${failure.jobId === undefined} ${pattern}`
      const key = groups.has(own) || groups.size < most ? own : ''
      const group = groups.get(key)
      if (group === undefined) groups.set(key, key === '' ? { reason: 'other errors', count: failure.count } : failure)
      else {
        const reason = key === '' || group.reason === failure.reason ? group.reason : pattern
        groups.set(key, { ...group, reason, count: group.count + failure.count })
      }
    },
    all: () => [...groups.values()].sort((one, other) => other.count - one.count),
  }
}
