// Status codes stay. Ids (dashes, hex, long mixed words) go before numbers, which they contain. Source: ours.
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

export function failurePattern(reason: string): string {
  return reason.replace(DIFFERS, (_found, stays: string | undefined) => stays ?? '#')
}

export type Failure = { readonly reason: string; readonly count: number; readonly jobId?: string | undefined }

export function createFailureGroups(most = Number.POSITIVE_INFINITY) {
  const groups = new Map<string, Failure>()
  return {
    add(failure: Failure) {
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
    all: (): readonly Failure[] => [...groups.values()].sort((one, other) => other.count - one.count),
  }
}
