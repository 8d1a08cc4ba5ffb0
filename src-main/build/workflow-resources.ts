/** What comes along for workflows: templates, classes of nodes, and which of them a handler runs. */

import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import type {
  ReadBuiltInNodeTypes,
  ReadHandlerClasses,
  ReadTemplates,
  WorkflowPorts,
} from '../services/ports/workflows.ts'
import { fileTools } from './file-tools.ts'
import { packageIndexOf } from './package-index-file.ts'
import { RESOURCES } from './resource-program.ts'

const index = z.object({
  templates: z.array(z.object({ id: z.string().regex(/^[a-z0-9-]+$/), name: z.string(), summary: z.string() })),
})
const handlerClasses = z.object({
  classes: z.array(z.string()),
  lists: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
})

/** Reads `workflows/index.json` with the document of each template. */
const readTemplates: ReadTemplates = async () => {
  const folder = join(RESOURCES, 'workflows')
  const { templates } = index.parse(JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')))
  return Promise.all(
    templates.map(async (template) => ({
      ...template,
      text: await readFile(join(folder, `${template.id}.json`), 'utf8'),
    })),
  )
}

/** Reads `node-types.json`. */
export const readBuiltInNodeTypes: ReadBuiltInNodeTypes = () => readFile(join(RESOURCES, 'node-types.json'), 'utf8')

/** Reads `classes.json` beside a handler that comes along. */
const readHandlerClasses: ReadHandlerClasses = async (handler) => {
  if (relative(RESOURCES, handler).startsWith('..')) return undefined
  try {
    return handlerClasses.parse(JSON.parse(await readFile(join(dirname(handler), 'classes.json'), 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** All of it, as the core takes it. @param data the data folder, asked each time, as it is known after the start */
export function workflowResources(
  data: () => string,
): Omit<WorkflowPorts, 'fetchNodeTypes' | 'sizeOfNodeTypes' | 'lookForServer'> {
  return {
    tools: fileTools,
    templates: readTemplates,
    builtInNodeTypes: readBuiltInNodeTypes,
    handlerClasses: readHandlerClasses,
    packageIndex: packageIndexOf(data),
  }
}
