/**
 * Files in `.runpod`: `tests.json` with jobs and limits, `hub.json` with the endpoint's form. Source:
 * docs/spec/platform.md, 7.
 */
import { z } from 'zod'

const scalar = z.union([z.string(), z.number(), z.boolean()])
const cudaVersions = z.array(z.string()).optional().describe('CUDA versions that it runs with')
const variableName = z.string().min(1)

const workerTest = z.object({
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
  timeout: z.number().positive().optional().describe('ms that it may run'),
})

export const workerTests = z.object({
  tests: z.array(workerTest).min(1),
  config: z
    .object({
      gpuTypeId: z.string().optional().describe('kind of GPU, like NVIDIA GeForce RTX 4090'),
      gpuCount: z.number().int().positive().optional(),
      cpuFlavor: z.string().optional(),
      env: z.array(z.object({ key: variableName, value: scalar.transform(String) })).optional(),
      allowedCudaVersions: cudaVersions,
    })
    .default({}),
})

const hubInput = z.object({
  name: z.string().optional(),
  type: z.enum(['string', 'number', 'boolean', 'huggingface']).catch('string'),
  description: z.string().optional(),
  default: scalar.optional(),
  options: z.array(z.object({ label: z.string(), value: scalar.transform(String) })).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  trueValue: z.string().default('true'),
  falseValue: z.string().default('false'),
  required: z.boolean().optional(),
  advanced: z.boolean().default(false).describe('hidden until it is asked for'),
})

const hubVariable = z.object({
  key: variableName,
  value: scalar.transform(String).optional(),
  input: hubInput.optional(),
})

export const hubFile = z.object({
  title: z.string().min(1),
  description: z.string().optional(),
  type: z.string().optional(),
  config: z
    .object({
      runsOn: z.enum(['GPU', 'CPU']).optional(),
      containerDiskInGb: z.number().positive().optional(),
      cpuFlavor: z.string().optional(),
      gpuCount: z.number().int().positive().optional(),
      gpuIds: z.string().optional().describe('pools, separated by commas, and GPUs that are left out, with a hyphen'),
      allowedCudaVersions: cudaVersions,
      env: z.array(hubVariable).default([]),
      presets: z.array(z.object({ name: z.string().min(1), defaults: z.record(z.string(), scalar) })).default([]),
    })
    .default({ env: [], presets: [] }),
})

export type HubFile = z.infer<typeof hubFile>

export type HubVariable = z.infer<typeof hubVariable>

/** The problem of one of the files, as part of a sentence. */
export function fileProblem({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'it does not have the expected form'
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`
}
