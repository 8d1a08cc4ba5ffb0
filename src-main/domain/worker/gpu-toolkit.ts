/** Versions of what brings cards into containers. */

/** Versions of the NVIDIA Container Toolkit from which a container can break out. Source: NVIDIA, security bulletins. */
const TOOLKIT_ESCAPES = [
  { cve: 'CVE-2024-0132', mendedIn: '1.16.2' },
  { cve: 'CVE-2025-23359', mendedIn: '1.17.4' },
  { cve: 'CVE-2025-23266', mendedIn: '1.17.8' },
] as const

/** First version of the toolkit without a known escape. */
export const SAFE_TOOLKIT = '1.17.8'

/** The known escapes from containers of a version of the toolkit. @param version like 1.16.1 */
export function toolkitEscapes(version: string): readonly string[] {
  return TOOLKIT_ESCAPES.filter(({ mendedIn }) => isOlder(version, mendedIn)).map(({ cve }) => cve)
}

/**
 * Whether a version comes before another one; what follows the numbers (-rc.1, +dfsg1) is ignored.
 * @returns false where `version` is none: nobody is warned of what nobody knows
 */
export function isOlder(version: string, than: string): boolean {
  const own = numbers(version)
  if (own.length === 0) return false
  const other = numbers(than)
  const at = other.findIndex((part, index) => part !== (own[index] ?? 0))
  return at >= 0 && (own[at] ?? 0) < (other[at] ?? 0)
}

function numbers(version: string): readonly number[] {
  const [dotted] = /^\d+(\.\d+)*/.exec(version.trim().replace(/^v/, '')) ?? []
  return dotted === undefined ? [] : dotted.split('.').map(Number)
}
