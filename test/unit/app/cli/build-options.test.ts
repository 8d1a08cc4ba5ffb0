import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addBuildOptions, whatToBuild } from '../../../../src-main/features/apps/commands/build-app.ts'

test('--allow-links-to may be repeated, and its folders are relative to the folder of the caller', () => {
  const options = (argv: readonly string[]) =>
    whatToBuild(addBuildOptions(new Command()).parse(argv, { from: 'user' }).opts(), { cwd: '/home/ada/app', env: {} })
  expect(options([]).allowLinksTo).toBeUndefined()
  expect(options(['--allow-links-to', '../models', '--allow-links-to', '/data']).allowLinksTo).toEqual([
    '/home/ada/models',
    '/data',
  ])
})
