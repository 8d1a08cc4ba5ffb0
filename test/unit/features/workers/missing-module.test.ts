import { expect, test } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { packageWish } from '../../../../src-main/contract/packages.ts'
import {
  deployHint,
  environmentFor,
  installHint,
  missingPackage,
  splitHint,
  withHint,
} from '../../../../src-main/features/workers/rules/missing-module.ts'

test.each([
  ["ModuleNotFoundError: No module named 'torch'", 'torch'],
  ["worker failed 3 times within 4 s: ModuleNotFoundError: No module named 'torch.nn'; next try in 4 s", 'torch'],
  ["ModuleNotFoundError: No module named 'PIL'", 'pillow'],
  ["ModuleNotFoundError: No module named 'pydantic_core'", 'pydantic-core'],
  ["ModuleNotFoundError: No module named '-e'", undefined],
  ["KeyError: 'torch'", undefined],
])('%s is mended by %s', (text, wanted) => {
  expect(missingPackage(text)).toBe(wanted)
})

test('packages go into the environment of the endpoint, else into one next to its code', () => {
  const handler = '/home/ada/live.py'
  expect(environmentFor({ handler })).toBe('/home/ada/.venv')
  expect(environmentFor({ handler, virtualEnv: '/envs/a' })).toBe('/envs/a')
  expect(environmentFor({ command: 'python3 a.py', cwd: '/home/ada' })).toBe('/home/ada/.venv')
  expect(environmentFor({ command: 'python3 a.py' })).toBeUndefined()
  expect(environmentFor({ handler: '/home/ada/live.ts' })).toBeUndefined()
  expect(environmentFor({ handler, container: containerSettings.parse({}) })).toBeUndefined()
  const app = { name: 'shop', environment: 'production', resource: 'web', code: '', variables: 0 }
  expect(environmentFor({ handler, app })).toBeUndefined()
})

test('the hint names both commands, and one where the endpoint has an environment', () => {
  const error = "ModuleNotFoundError: No module named 'yaml'"
  const config = { handler: '/home/ada/live.py' }
  const install = 'install it: drydock endpoint install mine pyyaml'
  expect(installHint({ id: 'mine', config }, error)).toBe(
    `${install}; or name the environment that has it: drydock endpoint update mine --virtual-env .venv`,
  )
  expect(installHint({ id: 'mine', config: { ...config, virtualEnv: '/envs/a' } }, error)).toBe(install)
  expect(installHint({ id: 'mine', config }, 'KeyError: 1')).toBeUndefined()
})

test('the hint for an app names requirements.txt, unless its build left the package to images', () => {
  const error = "ModuleNotFoundError: No module named 'yaml'"
  expect(deployHint(error)).toBe('add pyyaml to requirements.txt and deploy again')
  expect(
    deployHint(`${error}. Builds leave it to images; for a process: python3 -m pip install pyyaml`),
  ).toBeUndefined()
  expect(deployHint('KeyError: 1')).toBeUndefined()
})

test('a reason is split into its cause and its hint', () => {
  const cause = "ModuleNotFoundError: No module named 'yaml'"
  const hint = installHint({ id: 'mine', config: { handler: '/home/ada/live.py' } }, cause)
  expect(splitHint(withHint(cause, hint))).toEqual({ cause, hint })
  const sentence = (reason: string) => `No worker runs: ${reason}; next try in 4 s.`
  expect(splitHint(sentence(withHint(cause, hint)))).toEqual({ cause: sentence(cause), hint })
  expect(splitHint(withHint(cause, deployHint(cause)))).toEqual({ cause, hint: deployHint(cause) })
  expect(splitHint('KeyError (1)')).toEqual({ cause: 'KeyError (1)', hint: undefined })
})

test('a package is a name with extras and versions, and no option, address or path', () => {
  for (const text of ['torch', 'torch==2.5.1', 'uvicorn[standard]>=0.30,<1', 'a.b-c_d ~= 1.0', 'x != 1.*'])
    expect(packageWish.safeParse(text).success, text).toBe(true)
  for (const text of [
    ...['', '-e', '--index-url=x', '-r req.txt', '.', './a', '/a', 'a/b', 'https://a.b/c.whl', 'git+https://a.b/c'],
    ...['a @ https://a.b/c.whl', 'a;b', 'a b', 'a\nb', 'a==1 --pre', '$(id)', '`id`', 'a[b', 'a-', 'a=1'],
  ])
    expect(packageWish.safeParse(text).success, text).toBe(false)
})
