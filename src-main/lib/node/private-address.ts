import { BlockList, isIP } from 'node:net'

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

// The rest of IPv6 is local, multicast or reserved.
const allocated = new BlockList()
allocated.addSubnet('2000::', 3, 'ipv6')
allocated.addSubnet('::ffff:0:0', 96, 'ipv6')
allocated.addSubnet('64:ff9b::', 96, 'ipv6')

const special = new BlockList()
special.addSubnet('2001::', 23, 'ipv6')
special.addSubnet('2001:db8::', 32, 'ipv6')
special.addSubnet('3fff::', 20, 'ipv6')
for (const [base, bits] of PRIVATE_V4) {
  // Also as mapped, NAT64 (64:ff9b::) and 6to4 (2002:) addresses.
  special.addSubnet(base, bits)
  special.addSubnet(`64:ff9b::${base}`, 96 + bits, 'ipv6')
  const hex = Buffer.from(base.split('.').map(Number)).toString('hex')
  special.addSubnet(`2002:${hex.slice(0, 4)}:${hex.slice(4)}::`, 16 + bits, 'ipv6')
}

/** True for local, private or special ranges, and for anything unreadable. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/%.+$/, '')
  if (isIP(bare) === 4) return special.check(bare)
  return isIP(bare) === 0 || !allocated.check(bare, 'ipv6') || special.check(bare, 'ipv6')
}
