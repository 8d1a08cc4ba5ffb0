import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { noElectron, openScreen, startCommandOn, waitForNoProcesses } from './support.ts'

beforeEach(({ skip }) => skip(noElectron !== undefined, noElectron))

test('`drydock start` opens the window of this clone, registers its links, and closes it on a signal', async () => {
  const screen = await openScreen()
  const command = startCommandOn(screen, ['--data', 'd', '--port', '0'])
  const printed = text(command.stdout)
  await screen.waitForWindow('Endpoints · Drydock')
  command.kill('SIGTERM')
  expect((await once(command, 'exit'))[0]).toBe(0)
  const entry = join(screen.home, '.local', 'share', 'applications', 'drydock-clone.desktop')
  expect(await printed).toContain(`drydock:// links open this clone: wrote ${entry} (\`--no-links\` removes it)\n`)
  expect(readFileSync(entry, 'utf8')).toContain('electron')
  await waitForNoProcesses(screen)
})
