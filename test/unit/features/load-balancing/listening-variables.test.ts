import { expect, it } from 'vitest'
import { healthPathOf, listeningPorts } from '../../../../src-main/features/load-balancing/rules/listening-variables.ts'

it.each([
  [undefined, '/ping'],
  ['', '/ping'],
  [' ', '/ping'],
  ['/health', '/health'],
  [' health ', '/health'],
  ['/health?full=1', '/health?full=1'],
  ['//elsewhere/health', '/elsewhere/health'],
  ['http://elsewhere/health', '/http://elsewhere/health'],
  ['/a b\r\nx: y', '/a%20b%0D%0Ax:%20y'],
])('HEALTH_CHECK_PATH %j is asked as %s', (text, path) => {
  expect(healthPathOf(text === undefined ? {} : { HEALTH_CHECK_PATH: text })).toBe(path)
})

it.each([
  [{ port: 80 }, {}, { port: 80 }],
  [{ port: 80, healthPort: 81 }, {}, { port: 80, healthPort: 81 }],
  [{ port: 80, healthPort: 80 }, {}, { port: 80 }],
  [{ port: 80 }, { PORT_HEALTH: '9000' }, { port: 80, healthPort: 9000 }],
  [{ port: 80, healthPort: 81 }, { PORT_HEALTH: ' 9000 ' }, { port: 80, healthPort: 9000 }],
  [{ port: 80 }, { PORT: '8000', PORT_HEALTH: '8000' }, { port: 80 }],
  [{ port: 80 }, { PORT_HEALTH: '70000' }, { port: 80 }],
  [{ port: 80 }, { PORT_HEALTH: 'x' }, { port: 80 }],
])('%j with %j listens on %j', (settings, env, ports) => {
  expect(listeningPorts(settings, env)).toEqual(ports)
})
