import { expect, test } from 'vitest'
import { sshReason, whyLost } from '../../../src-main/runtimes/remote/ssh-command.ts'

const CHANNELS = Array.from({ length: 1000 }, (_, n) => `channel ${n}: open failed: connect failed: open failed`)

test('a broken connection has one reason: the last line that is not about a forward that failed with it', () => {
  const stderr = [...CHANNELS, 'a banner', 'client_loop: send disconnect: Broken pipe', ...CHANNELS].join('\r\n')
  expect(whyLost(stderr, 'ended')).toBe('client_loop: send disconnect: Broken pipe')
})

test('a refused login has all lines that explain it', () => {
  const stderr = ['Load key "id": bad permissions', ...CHANNELS, 'ada@box: Permission denied (publickey).'].join('\r\n')
  expect(sshReason(stderr, 'ended')).toBe('Load key "id": bad permissions ada@box: Permission denied (publickey).')
})

test.each([sshReason, whyLost])('failed forwards alone are named by the last one', (reason) => {
  expect(reason('channel 3: open failed\nchannel 31: open failed\n', 'ended')).toBe('channel 31: open failed')
  expect(reason('', 'ended')).toBe('ended')
})
