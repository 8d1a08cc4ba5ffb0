import { testPythonFiles } from '../run-python-tests.ts'

testPythonFiles(import.meta.url, 'the worker of images')
