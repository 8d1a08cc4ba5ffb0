import { expect, it } from 'vitest'
import { installProgress } from '../../../../src-main/runtimes/docker/build-image.ts'

it.each([
  ['Collecting torch==2.9.1', 'installing torch'],
  ['Collecting nvidia-cudnn-cu12==9.10.2.21 (from torch)', 'installing nvidia-cudnn-cu12'],
  ['Collecting uvicorn[standard]>=0.30', 'installing uvicorn'],
  ['  Downloading torch-2.9.1-cp311-cp311-manylinux_2_28_x86_64.whl (899.8 MB)', 'downloading torch 2.9.1 (899.8 MB)'],
  [
    '  Downloading https://files.example.org/a/b/six-1.17.0-py2.py3-none-any.whl (11 kB)',
    'downloading six 1.17.0 (11 kB)',
  ],
  ['  Building wheel for old-package (setup.py): started', 'compiling old-package'],
  ['Installing collected packages: mpmath, sympy, torch', 'unpacking what was downloaded'],
  [
    'Get:7 http://deb.example.org/debian bookworm/main amd64 libsndfile1 amd64 1.2.0-1 [307 kB]',
    'downloading libsndfile1 (307 kB)',
  ],
  ['Setting up libstdc++6:amd64 (12.2.0-14) ...', 'installing libstdc++6'],
])('%s', (line, words) => {
  expect(installProgress(line)).toBe(words)
})

it.each([
  '  Downloading numpy-2.3.5-cp311-cp311-manylinux_2_27_x86_64.whl.metadata (62 kB)',
  'Get:1 http://deb.example.org/debian bookworm InRelease [151 kB]',
  'Get:3 http://deb.example.org/debian bookworm/main amd64 Packages [8793 kB]',
  'Requirement already satisfied: six in /usr/local/lib/python3.11/site-packages (1.17.0)',
  'Step 3/5 : COPY packages.list /opt/drydock/',
])('no news: %s', (line) => {
  expect(installProgress(line)).toBeUndefined()
})
