import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPrivateAddress } from '../../../../src-main/lib/node/private-address.ts'

const PRIVATE = [
  ...['0.0.0.0', '10.0.0.0', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.0.2.1', '198.18.0.1', '198.19.255.255'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:192.168.1.1'],
  ...['fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'fc00::1', 'fdff::1', 'ff02::1', '2001:db8::1', '2001::1'],
  ...[
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::808:808',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    '100::1',
    '3fff::1',
  ],
  ...[
    '',
    'example.com',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.4/8',
    '010.8.8.8',
    '1.0.0.00',
    ':::',
    '1::2::3',
    'g::1',
    '12345::',
    '2606:4700::1%',
  ],
]
const PUBLIC = [
  ...[
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
  ],
  ...[
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
  ],
  ...[
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ],
]

describe('isPrivateAddress', () => {
  for (const address of PRIVATE)
    it(`${address || '(empty)'} is not reached`, () => expect(isPrivateAddress(address)).toBe(true))
  for (const address of PUBLIC) it(`${address} is reached`, () => expect(isPrivateAddress(address)).toBe(false))

  it('says the same of an IPv4 address in all its forms', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        for (const form of [`::ffff:${address}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::`])
          expect([form, isPrivateAddress(form)]).toEqual([form, isPrivateAddress(address)])
      }),
      { numRuns: 300 },
    )
  })

  it('takes nothing that is no address for a public one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4Extended(), fc.domain()), (text) => {
        if (isIP(text) === 0) expect(isPrivateAddress(text)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
