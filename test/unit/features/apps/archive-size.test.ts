import { expect, test } from 'vitest'
import { tooLargeProblem } from '../../../../src-main/features/apps/rules/archive-size.ts'

const MIB = 1024 * 1024
const packages = Array.from({ length: 12 }, (_, at) => ({ name: `p${at}`, version: '1', bytes: (at + 1) * 100 * MIB }))

test('the ten largest packages are named, and the line that would fix it', () => {
  const { code, message } = tooLargeProblem({
    limitBytes: 1500 * MIB,
    archiveBytes: 2400 * MIB,
    packageShare: 0.5,
    packages,
    files: [],
  })
  expect(code).toBe('ARCHIVE_TOO_LARGE')
  expect(message.split('\n')).toEqual([
    'The artifact would have about 2400 MiB, and the limit is 1500 MiB.',
    'The largest packages, not compressed:',
    ...[12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((at) => `${`${at * 100} MiB`.padStart(12)}  p${at - 1} 1`),
    // 900 MiB too much, half of 1800 and more: 1200 and 1100.
    'If your image has them, leave them out: drydock build --exclude p11,p10',
  ])
})

test('where packages are not the reason, the largest files are named', () => {
  const { message } = tooLargeProblem({
    limitBytes: 10 * MIB,
    archiveBytes: 3000 * MIB,
    packageShare: 1,
    packages: packages.slice(0, 1),
    files: [{ path: 'model.safetensors', bytes: 2990 * MIB }],
  })
  expect(message).not.toContain('--exclude')
  expect(message).toContain('2990 MiB  model.safetensors')
  expect(message).toContain('.gitignore')
})
