import { expect, test } from 'vitest'
import { sshReason } from '../../../src-main/runtimes/remote/ssh-command.ts'

test('the reason of a broken connection leaves out forwards that failed with it', () => {
  const channels = Array.from({ length: 1000 }, (_, n) => `channel ${n}: open failed: connect failed: open failed`)
  const stderr = [...channels, 'client_loop: send disconnect: Broken pipe', ...channels].join('\r\n')
  expect(sshReason(stderr, 'ended')).toBe('client_loop: send disconnect: Broken pipe')
})

test('failed forwards alone are named by the last one', () => {
  expect(sshReason('channel 3: open failed\nchannel 31: open failed\n', 'ended')).toBe('channel 31: open failed')
  expect(sshReason('', 'ended')).toBe('ended')
})
