import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine('image-runpod')

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

test('the image of the public worker SDK holds the package, unmodified and complete', async () => {
  const env = { ...process.env, DOCKER_HOST: 'why' in engine ? '' : engine.dockerHost }
  const program = 'import runpod.serverless; print(runpod.__version__)'
  const command = ['run', '--rm', 'drydock-test/runpod-worker', 'python3', '-c', program]
  const { stdout } = await promisify(execFile)('docker', command, { env })
  expect(stdout.trim()).toBe('1.12.0')
})
