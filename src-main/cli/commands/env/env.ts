import type { Command } from 'commander'
import type { Surroundings } from '../../surroundings.ts'
import { addEnvCreate } from './create.ts'
import { addEnvDelete } from './delete.ts'
import { addEnvGet } from './get.ts'
import { addEnvList } from './list.ts'
import { addEnvSet } from './set.ts'
import { addEnvUnset } from './unset.ts'

/** `drydock env`: the environments of an app and their variables. */
export function addEnv(program: Command, surroundings: Surroundings): void {
  const env = program.command('env').description('environments of an app and their variables')
  addEnvList(env, surroundings)
  addEnvGet(env, surroundings)
  addEnvCreate(env, surroundings)
  addEnvDelete(env, surroundings)
  addEnvSet(env, surroundings)
  addEnvUnset(env, surroundings)
}
