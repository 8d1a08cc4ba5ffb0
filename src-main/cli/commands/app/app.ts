import type { Command } from 'commander'
import type { Surroundings } from '../../surroundings.ts'
import { addAppDelete } from './delete.ts'
import { addAppGet } from './get.ts'
import { addAppList } from './list.ts'

/** `drydock app`: the apps of the service. */
export function addApp(program: Command, surroundings: Surroundings): void {
  const app = program.command('app').description('list apps, print or delete one; `drydock deploy` makes them')
  addAppList(app, surroundings)
  addAppGet(app, surroundings)
  addAppDelete(app, surroundings)
}
