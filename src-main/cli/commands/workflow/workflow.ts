import type { Command } from 'commander'
import type { Surroundings } from '../../surroundings.ts'
import { addWorkflowClasses } from './classes.ts'
import { addWorkflowConvert } from './convert.ts'
import { addWorkflowInfo } from './info.ts'
import { addWorkflowPublish } from './publish.ts'
import { addWorkflowRun } from './run.ts'
import { addWorkflowSweep } from './sweep.ts'
import { addWorkflowSweeps } from './sweeps.ts'
import { addWorkflowValidate } from './validate.ts'

/** `drydock workflow`: everything that is done with graphs of nodes. */
export function addWorkflow(program: Command, surroundings: Surroundings): void {
  const workflow = program
    .command('workflow')
    .description('check, convert, run and publish graphs of nodes, also those in pictures')
  addWorkflowRun(workflow, surroundings)
  addWorkflowValidate(workflow, surroundings)
  addWorkflowConvert(workflow, surroundings)
  addWorkflowInfo(workflow, surroundings)
  addWorkflowClasses(workflow, surroundings)
  addWorkflowPublish(workflow, surroundings)
  addWorkflowSweep(workflow, surroundings)
  addWorkflowSweeps(workflow, surroundings)
}
