import type { ScanDocument, ScannedEndpoint } from '../../../../src-main/contract/scan.ts'

/** An endpoint of a scan; what is not given is the least that discovery finds. */
export function scanned(given: Partial<ScannedEndpoint> = {}): ScannedEndpoint {
  return {
    name: 'greet',
    kind: 'queue',
    file: 'worker.py',
    line: 3,
    settings: {},
    functions: [scannedFunction()],
    makesRemoteCalls: false,
    handlerFile: 'handler_greet.py',
    ...given,
  }
}

/** A function of a scan. */
export function scannedFunction(
  given: Partial<ScannedEndpoint['functions'][number]> = {},
): ScannedEndpoint['functions'][number] {
  return {
    name: 'greet',
    module: 'worker',
    line: 4,
    isAsync: false,
    isGenerator: false,
    isClass: false,
    methods: [],
    httpMethod: null,
    httpPath: null,
    ...given,
  }
}

/** A whole document. */
export function scanOf(given: Partial<ScanDocument> = {}): ScanDocument {
  return {
    ok: true,
    files: ['worker.py'],
    sourceFiles: ['worker.py'],
    ignored: 0,
    endpoints: [scanned()],
    requirements: [],
    errors: [],
    warnings: [],
    ...given,
  }
}
