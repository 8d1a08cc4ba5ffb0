/** Ranges that webhooks must not reach by default; source: IANA special-purpose registries. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** True for local, private or special ranges, and for anything unreadable. */
export function isPrivateAddress(address: string): boolean {
  const v4 = toV4(address)
  if (v4 !== undefined)
    return PRIVATE_V4.some(([base, bits]) => v4 >>> (32 - bits) === (toV4(base) ?? 0) >>> (32 - bits))
  const groups = toV6(address)
  if (groups === undefined) return true
  const [first = 0, second = 0] = groups
  const embedsV4 = groups.slice(0, 5).every((group) => group === 0) && (groups[5] === 0 || groups[5] === 0xffff)
  if (embedsV4)
    return isPrivateAddress(v4Text(groups[6] ?? 0, groups[7] ?? 0)) || groups.slice(0, 7).every((group) => group === 0)
  if (first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0))
    return isPrivateAddress(v4Text(groups[6] ?? 0, groups[7] ?? 0)) // NAT64
  if (first === 0x2002) return isPrivateAddress(v4Text(second, groups[2] ?? 0)) // 6to4
  return (
    (first & 0xe000) !== 0x2000 || // only 2000::/3 is allocated; the rest is local, multicast or reserved
    (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
    (first === 0x3fff && second < 0x1000)
  )
}

function toV4(text: string): number | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0
  for (const part of parts) {
    // Some parsers read a leading zero as octal, so it is refused.
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined
    value = value * 256 + Number(part)
  }
  return value
}

function v4Text(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function toV6(text: string): readonly number[] | undefined {
  const bare = text.replace(/%.+$/, '')
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare)
  const v4 = dotted?.[2] === undefined ? undefined : toV4(dotted[2])
  const whole = v4 === undefined ? bare : `${dotted?.[1]}${(v4 >>> 16).toString(16)}:${(v4 & 0xffff).toString(16)}`
  const [head = '', tail, more] = whole.split('::')
  if (more !== undefined) return undefined
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = 8 - left.length - right.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...left, ...(Array(missing).fill('0') as string[]), ...right]
  if (groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return groups.map((group) => Number.parseInt(group, 16))
}
