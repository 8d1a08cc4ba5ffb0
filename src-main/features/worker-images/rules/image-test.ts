/** The test of a worker image: a job whose input has `test`. Source: docs/spec/worker-images.md, 4. */
import { type ImageTest, imageTest } from '../../../contract/image-builds.ts'
import type { WorkflowLock } from '../../../contract/worker-images.ts'
import { type JsonObject, writeJson } from '../../../lib/json/value.ts'
import { presentDirectory } from '../../models/rules/layout.ts'
import { readPayloadNodes } from '../../workflows/rules/payload.ts'
import { modelsOf } from '../../workflows/rules/runs/graph-models.ts'

export function readImageTest(output: unknown): ImageTest | undefined {
  const { data } = imageTest.safeParse(output)
  return data
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
