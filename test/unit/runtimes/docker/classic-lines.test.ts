import { expect, test } from 'vitest'
import type { ImageBuildEvent } from '../../../../src-main/contract/worker-images.ts'
import { classicLines } from '../../../../src-main/runtimes/docker/buildkit.ts'

// Podman's words; source: containers/buildah imagebuildah/stage_executor.go.
const PODMAN = `STEP 1/3: FROM python:3.11
STEP 2/3: RUN pip install six
--> Using cache 4f1a
--> 4f1a
STEP 3/3: RUN python3 install.py
installing
COMMIT cat:1
--> 99aa`

test('the lines of a builder without vertices give the same events', () => {
  const events: ImageBuildEvent[] = []
  const read = classicLines((event) => events.push(event))
  for (const line of PODMAN.split('\n')) read(line)
  expect(events.flatMap((event) => (event.kind === 'step' ? [`${event.name} ${event.state}`] : []))).toEqual([
    '[1/3] FROM python:3.11 started',
    '[1/3] FROM python:3.11 done',
    '[2/3] RUN pip install six started',
    '[2/3] RUN pip install six cached',
    '[3/3] RUN python3 install.py started',
    '[3/3] RUN python3 install.py done',
  ])
  expect(events).toContainEqual({ kind: 'output', id: 'step 3', text: 'installing\n' })
})
