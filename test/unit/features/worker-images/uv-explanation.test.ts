import { expect, test } from 'vitest'
import { type Asked, explainFailure } from '../../../../src-main/features/worker-images/rules/python-conflicts.ts'
import { readRequirements } from '../../../../src-main/features/worker-images/rules/read-requirements.ts'

const asked = (of: Readonly<Record<string, string>>): Asked[] =>
  Object.entries(of).flatMap(([from, text]) => readRequirements(text).requirements.map((one) => ({ ...one, from })))
const BASE = { python: '3.11', provides: { torch: '2.5.1+cu121', numpy: '1.26.4' } }

// Recorded from uv 0.13.9 with the public index.
const ROWS: readonly (readonly [
  title: string,
  of: Record<string, string>,
  stderr: string,
  code: string,
  message: string,
])[] = [
  [
    'several ranges of a dependency',
    { Language: 'transformers==4.26.1', Tokens: 'tokenizers>=0.20' },
    `error: No solution found when resolving dependencies
  cause: Because transformers==4.26.1 depends on one of:
             tokenizers>=0.11.1,<0.11.3
             tokenizers>0.11.3,<0.14
         and you require transformers==4.26.1, we can conclude that you require one of:
             tokenizers>=0.11.1,<0.11.3
             tokenizers>0.11.3,<0.14

         And because you require tokenizers>=0.20, we can conclude that your requirements are unsatisfiable.`,
    'python_versions',
    'Tokens asks for tokenizers>=0.20; Language asks for transformers==4.26.1, which needs tokenizers>=0.11.1,<0.11.3 or >0.11.3,<0.14. No version of tokenizers satisfies all of them.',
  ],
  [
    'premises that it refers to by numbers',
    { Deep: 'deep', Faces: 'facelib' },
    `error: No solution found when resolving dependencies
  cause: Because all versions of facelib depend on numlib>=2 and all versions of upscale depend on numlib<2, we can conclude that all versions of facelib and all versions of upscale are incompatible.
         And because deep<=1.0 depends on upscale==1.0, we can conclude that deep<=1.0 and all versions of facelib are incompatible. (1)

         Because all versions of upscale depend on numlib<2 and all versions of facelib depend on numlib>=2, we can conclude that all versions of facelib and all versions of upscale are incompatible.
         And because deep>=1.1 depends on upscale==1.0, we can conclude that deep>=1.1 and all versions of facelib are incompatible.
         And because we know from (1) that deep<=1.0 and all versions of facelib are incompatible, we can conclude that all versions of deep and all versions of facelib are incompatible.
         And because you require deep and facelib, we can conclude that your requirements are unsatisfiable.`,
    'python_versions',
    'Faces asks for facelib, which needs numlib>=2; Deep asks for deep, which needs upscale==1.0, which needs numlib<2. No version of numlib satisfies all of them.',
  ],
  [
    'wheels for other Pythons',
    { Flow: 'tensorflow==2.10.0' },
    `error: No solution found when resolving dependencies
  cause: Because tensorflow==2.10.0 has no wheels with a matching Python ABI tag (e.g., \`cp311\`) and you require tensorflow==2.10.0, we can conclude that your requirements are unsatisfiable.

hint: You require CPython 3.11 (\`cp311\`), but we only found wheels for \`tensorflow\` (v2.10.0) with the following Python ABI tags: \`cp37m\`, \`cp38\`, \`cp39\`, \`cp310\``,
    'python_release',
    'Flow asks for tensorflow==2.10.0, which is built for Python 3.7, Python 3.8, Python 3.9 and Python 3.10. The base image has Python 3.11.',
  ],
  [
    'only source code of a dependency',
    { Config: 'omegaconf==2.3.0' },
    `error: No solution found when resolving dependencies
  cause: Because antlr4-python3-runtime>=4.9,<=4.9.3 has no usable wheels and only the following versions of antlr4-python3-runtime are available:
             antlr4-python3-runtime<4.9.dev0
             antlr4-python3-runtime>=4.9,<=4.9.3
             antlr4-python3-runtime>4.10.dev0
         we can conclude that antlr4-python3-runtime==4.9.* cannot be used.
         And because omegaconf==2.3.0 depends on antlr4-python3-runtime==4.9.* and you require omegaconf==2.3.0, we can conclude that your requirements are unsatisfiable.

hint: Wheels are required for \`antlr4-python3-runtime\` because building from source is disabled for all packages (i.e., with \`--no-build\`)`,
    'python_source',
    'Config asks for omegaconf==2.3.0, which needs antlr4-python3-runtime==4.9.*. antlr4-python3-runtime is available only as source code, and reading its requirements runs its set-up program on this machine.',
  ],
  [
    'torch of the base image',
    { Fast: 'xformers==0.0.28' },
    `error: No solution found when resolving dependencies
  cause: Because there is no version of torch==2.4.1 and xformers==0.0.28 depends on torch==2.4.1, we can conclude that xformers==0.0.28 cannot be used.
         And because you require xformers==0.0.28, we can conclude that your requirements are unsatisfiable.`,
    'python_versions',
    'Fast asks for xformers==0.0.28, which needs torch==2.4.1, but the base image has torch 2.5.1+cu121. Packages of the base image are never replaced.',
  ],
  [
    'ranges without any version',
    { Picky: 'numlib>=1.0,!=1.0,!=1.5,!=2.0' },
    `error: No solution found when resolving dependencies
  cause: Because only the following versions of numlib are available:
             numlib<=1.0
             numlib==1.5
             numlib==2.0
         and you require one of:
             numlib>1.0,<1.5
             numlib>1.5,<2.0
             numlib>2.0
         we can conclude that your requirements are unsatisfiable.`,
    'python_missing',
    'Picky asks for numlib!=1.0,!=1.5,!=2.0,>=1.0. The index has only numlib<=1.0, numlib==1.5 and numlib==2.0.',
  ],
  [
    'words that are not known',
    { One: 'numlib' },
    'error: No solution found when resolving dependencies\n  cause: The moon is full.',
    'python_versions',
    'The Python packages are not compatible. uv reports: No solution found when resolving dependencies\n  cause: The moon is full.',
  ],
]

test.each(ROWS)('uv explains %s', (_title, of, stderr, code, message) => {
  const found = explainFailure(`warning: something else\n${stderr}`, { asked: asked(of), ...BASE })
  expect(found?.conflict).toMatchObject({ code, message, blocks: true })
})

test('a missing network is not a conflict', () => {
  const stderr = `error: Request failed after 3 retries in 7.1s
  cause: Failed to fetch: http://127.0.0.1:9/simple/requests/
  cause: error sending request for url (http://127.0.0.1:9/simple/requests/)
  cause: Connection refused (os error 111)`
  expect(explainFailure(stderr, { asked: asked({ One: 'requests' }), ...BASE })).toBeUndefined()
})
