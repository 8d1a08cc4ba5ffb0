import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packagePaths } from '../../../../src-main/app/desktop/package-paths.ts'

test('a clone runs the built command line on its own Node', () => {
  const paths = packagePaths({
    here: join('/clone', 'out', 'shell'),
    packagedTo: undefined,
    nodeOfClone: '/usr/bin/node',
  })
  const built = join('/clone', 'out', 'desktop')
  expect(paths).toMatchObject({
    main: join('/clone', 'out', 'shell', 'main.js'),
    commandLine: { program: '/usr/bin/node', args: [join(built, 'cli.js')] },
  })
})

test('a package runs the unpacked files next to its archive on its own Node', () => {
  const paths = packagePaths({ here: '/app.asar/out/shell', packagedTo: '/package', nodeOfClone: '/usr/bin/node' })
  const core = join('/package', 'core')
  expect(paths.commandLine.args).toEqual([join(core, 'out', 'desktop', 'cli.js')])
  expect(paths.commandLine.program.startsWith(join(core, 'node_modules', 'node', 'bin'))).toBe(true)
})
