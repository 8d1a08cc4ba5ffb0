/** The test of a worker image: a job whose input has `test`. Source: docs/spec/worker-images.md, 4. */
import { z } from 'zod'
import type { WorkflowLock } from '../../../contract/worker-images.ts'
import { type JsonObject, writeJson } from '../../../lib/json/value.ts'
import { presentDirectory } from '../../models/rules/layout.ts'
import { readPayloadNodes } from '../../workflows/rules/payload.ts'
import { modelsOf } from '../../workflows/rules/runs/graph-models.ts'

const imageTestStep = z.object({
  name: z.string(),
  passed: z.boolean(),
  text: z.string(),
  seconds: z.number(),
})

const imageTestOutput = z.looseObject({ steps: z.array(imageTestStep).min(1), full: z.boolean() })

export type ImageTestStep = z.infer<typeof imageTestStep>
export type ImageTest = { readonly full: boolean; readonly steps: readonly ImageTestStep[] }

/** Undefined: the worker of the image ran the graph as any job. */
export function readImageTest(output: unknown): ImageTest | undefined {
  const { data } = imageTestOutput.safeParse(output)
  return data === undefined ? undefined : { full: data.full, steps: data.steps }
}

/** Variable by which a worker takes its test before its server runs. Source: ours. */
export const TEST_VARIABLE = { COMFY_WORKER_TEST: 'true' } as const

export function imageTestInput(
  payload: JsonObject,
  { lock, full }: { readonly lock: WorkflowLock | undefined; readonly full: boolean | undefined },
): string {
  const test = {
    nodes: (lock?.nodes ?? []).map(({ name, classes }) => ({ name, classes })),
    models: lock?.models.map(({ folder, name }) => ({ folder, name })) ?? modelsIn(payload),
    ...(full === undefined ? {} : { full }),
  }
  return `{"workflow":${writeJson(payload)},"test":${JSON.stringify(test)}}`
}

/** A job that gives the classes of the image's server, by which a document becomes a payload. */
export const CLASSES_INPUT = '{"workflow":{},"test":{"classes":true}}'

function modelsIn(payload: JsonObject) {
  return modelsOf(readPayloadNodes(payload)).flatMap(({ asked, directory }) =>
    directory === undefined ? [] : [{ folder: presentDirectory(directory), name: asked.replaceAll('\\', '/') }],
  )
}
