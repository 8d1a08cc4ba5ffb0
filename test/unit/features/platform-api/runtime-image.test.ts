import { expect, test } from 'vitest'
import { readRuntimeImage } from '../../../../src-main/features/platform-api/rules/runtime-image.ts'

test.each([
  ['runpod/queue:py3.12-latest', { kind: 'queue', gpu: false, python: '3.12', tag: 'latest' }],
  ['runpod/api-gpu:py3.10-1.2.0', { kind: 'api', gpu: true, python: '3.10', tag: '1.2.0' }],
  ['docker.io/runpod/task:py3.14-dev', { kind: 'task', gpu: false, python: '3.14', tag: 'dev' }],
])('%s is an image of a runtime', (image, wanted) => {
  expect(readRuntimeImage(image)).toEqual(wanted)
})

test.each(['runpod/worker-comfyui:5.0', 'ghcr.io/runpod/queue:py3.12-latest', 'runpod/queue', 'runpod/queue:latest'])(
  '%s is none',
  (image) => {
    expect(readRuntimeImage(image)).toBeUndefined()
  },
)
