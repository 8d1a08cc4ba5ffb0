import type { Command } from 'commander'
import type { Surroundings } from '../../surroundings.ts'
import { addEndpointCreate } from './create.ts'
import { addEndpointDelete } from './delete.ts'
import { addEndpointList } from './list.ts'
import { addEndpointPause } from './pause.ts'
import { addEndpointResume } from './resume.ts'
import { addEndpointRotateKey } from './rotate-key.ts'
import { addEndpointShow } from './show.ts'
import { addEndpointUpdate } from './update.ts'

/** `drydock endpoint`: everything that is done with endpoints. */
export function addEndpoint(program: Command, surroundings: Surroundings): void {
  const endpoint = program.command('endpoint').description('create, list, change and delete endpoints')
  addEndpointCreate(endpoint, surroundings)
  addEndpointList(endpoint, surroundings)
  addEndpointShow(endpoint, surroundings)
  addEndpointUpdate(endpoint, surroundings)
  addEndpointDelete(endpoint, surroundings)
  addEndpointPause(endpoint, surroundings)
  addEndpointResume(endpoint, surroundings)
  addEndpointRotateKey(endpoint, surroundings)
}
