import { testPythonFiles } from '../run-python-tests.ts'

testPythonFiles(import.meta.url, 'the reader of node packages')
