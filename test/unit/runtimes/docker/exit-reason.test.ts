import { describe, expect, it } from 'vitest'
import { exitOf } from '../../../../src-main/runtimes/docker/container-worker.ts'

const MIB = 1024 ** 2

describe('the end of a container', () => {
  it.each([
    ['in order', { ExitCode: 0 }, { code: 0, signal: undefined, reason: undefined }],
    ['with a code', { ExitCode: 3, Error: '' }, { code: 3, signal: undefined, reason: undefined }],
    ['by a signal', { ExitCode: 137 }, { code: undefined, signal: 'SIGKILL', reason: undefined }],
    ['by a signal that may be handled', { ExitCode: 143 }, { code: undefined, signal: 'SIGTERM', reason: undefined }],
    ['with a code that is no signal', { ExitCode: 255 }, { code: 255, signal: undefined, reason: undefined }],
    [
      'by the engine',
      { ExitCode: 127, Error: 'no such file' },
      { code: 127, signal: undefined, reason: 'no such file' },
    ],
    ['nobody knows how', {}, { code: undefined, signal: undefined, reason: undefined }],
  ])('%s', (_name, end, exit) => {
    expect(exitOf(end, 512 * MIB)).toEqual(exit)
  })

  it.each([
    [512 * MIB, 'out of memory: the container reached its limit of 512 MB'],
    [1024 * MIB, 'out of memory: the container reached its limit of 1 GB'],
    [2560 * MIB, 'out of memory: the container reached its limit of 2.5 GB'],
    [0, 'out of memory: the container reached its limit'],
    [undefined, 'out of memory: the container reached its limit'],
  ])('out of memory names the limit %s', (memoryBytes, reason) => {
    expect(exitOf({ ExitCode: 137, OOMKilled: true, Error: 'x' }, memoryBytes).reason).toBe(reason)
  })
})
