import { describe, expect, it } from 'vitest'
import { containerSettings } from '../../../src-main/contract/container.ts'
import { programProblem } from '../../../src-main/contract/endpoint.ts'

const fault = (settings: object, program: object = { handler: '/app/handler.py' }) =>
  programProblem({ ...program, container: containerSettings.parse(settings) })

describe('contents of the worker image', () => {
  it.each([{ python: '3.12' }, { packages: ['torch'] }, { systemPackages: ['ffmpeg'] }])(
    'fits no other image: %j',
    (wanted) => {
      expect(fault(wanted)).toBeUndefined()
      expect(fault({ ...wanted, image: 'busybox' })).toMatch(/are only for the worker image.*leave out image/)
    },
  )

  it('is also there for a command', () => {
    expect(
      fault({ packages: ['torch'] }, { command: 'python3 /app/web.py', loadBalanced: { port: 80 } }),
    ).toBeUndefined()
  })

  it.each(['ffmpeg; reboot', '-y', 'a b', 'ffmpeg\nRUN reboot', '$(reboot)', '../x', 'FFMPEG', ''])(
    'is no package of Debian: %j',
    (name) => {
      expect(containerSettings.safeParse({ systemPackages: [name] }).success).toBe(false)
    },
  )

  it.each(['ffmpeg', 'libstdc++6', 'libc6=2.36-9+deb12u10', 'ffmpeg=7:5.1.6-0+deb12u1'])(
    'is a package of Debian: %s',
    (name) => {
      expect(containerSettings.safeParse({ systemPackages: [name] }).success).toBe(true)
    },
  )
})

it.each(['/app/handler.ts', '/app/handler.mts', '/app/handler.mjs', '/app/handler.js'])(
  'the worker image has no Node for %s',
  (handler) => {
    expect(fault({}, { handler })).toContain('runs as a process, so leave out container')
    expect(programProblem({ handler })).toBeUndefined()
  },
)
