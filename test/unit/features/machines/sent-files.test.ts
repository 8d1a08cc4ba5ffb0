import { expect, test } from 'vitest'
import { createSentRule } from '../../../../src-main/features/machines/rules/sent-files.ts'

const CREDENTIALS = [
  ...['.env', '.env.local', 'prod.env', 'Server.PEM', 'deploy.key', 'ca.p12', 'pass.kdbx', 'id_ed25519', 'id_rsa.pub'],
  ...['.aws/', '.ssh/', 'sub/.kube/', '.config/gcloud/', 'sub/.docker/config.json', '.dockerconfigjson', '.netrc'],
  ...['.npmrc', '.pypirc', '.git-credentials', 'credentials.json', 'service-account-1.json'],
]
const OF_TOOLS = ['.git/', '.svc/', 'sub/.mypy_cache/', '.DS_Store', '.handler.py.swp', 'handler.py~', '.#handler.py']
const ENVIRONMENTS = ['.venv/', 'sub/venv/', 'node_modules/', '.tox/']
const COMPILED = ['__pycache__/', 'sub/__pycache__/', 'sub/handler.pyc', 'x.pyo']
const SENT = ['handler.py', 'tests/', 'env/', 'build/', 'docs/', 'id_generator.py', 'model.bin', 'environment.json']

const decisions = (paths: readonly string[], ...rule: Parameters<typeof createSentRule>) => [
  ...new Set(paths.map(createSentRule(...rule))),
]

test('credentials of a project are withheld, and files of tools and interpreters are left out', () => {
  expect(decisions(CREDENTIALS, 'project', '')).toEqual(['withheld'])
  expect(decisions([...OF_TOOLS, ...ENVIRONMENTS, ...COMPILED], 'project', '')).toEqual(['left out'])
  expect(decisions(SENT, 'project', '')).toEqual(['sent'])
})

test('the ignore file of a project leaves out and brings back, but no credentials', () => {
  const text = 'docs/\n*.bin\n!keep.bin\n!.env\n!*.pem\n!.git/\n!node_modules/\n'
  expect(decisions(['docs/', 'model.bin', '.git/'], 'project', text)).toEqual(['left out'])
  expect(decisions(['keep.bin', 'node_modules/', 'handler.py'], 'project', text)).toEqual(['sent'])
  expect(decisions(['.env', 'server.pem'], 'project', text)).toEqual(['withheld'])
})

test('all files of a packed app are sent, except compiled Python', () => {
  expect(decisions([...CREDENTIALS, ...OF_TOOLS, ...ENVIRONMENTS, ...SENT], 'packed', '')).toEqual(['sent'])
  expect(decisions(COMPILED, 'packed', '')).toEqual(['left out'])
})
