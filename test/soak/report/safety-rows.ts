/** The rows of docs/spec/targets.md, 2, and where each is proved in addition to the soak. */

/** One row. */
export type SafetyRow = {
  /** 5 for 2.5. */
  readonly row: number
  readonly fault: string
  readonly holds: string
}

/** Reads the rows of the table. @param targets text of docs/spec/targets.md */
export function readSafetyRows(targets: string): readonly SafetyRow[] {
  return [...targets.matchAll(/^\| 2\.(\d+) \| (.*?) \| (.*?) \|$/gm)].map(([, row, fault = '', holds = '']) => ({
    row: Number(row),
    fault,
    holds,
  }))
}

/** A test of the soak that makes the fault of a row. */
export type SoakTest = { readonly row: number; readonly file: string; readonly title: string }

/** Finds the tests of rows in the files of the soak, so that one that was not run is missed. @param texts by path */
export function readSoakTests(texts: Readonly<Record<string, string>>): readonly SoakTest[] {
  return Object.entries(texts).flatMap(([file, text]) =>
    [...text.matchAll(/^\s*(?:test|it)\(\s*'(\d+): ([^'\n]*)'/gm)].map(([, row, title = '']) => ({
      row: Number(row),
      file,
      title,
    })),
  )
}

/** Tests of `npm run test:all`: all tests of a file, or those whose names match. */
export type Proof = { readonly file: string; readonly named?: RegExp }

/**
 * Tests of `npm run test:all` that prove a row. One run proves as much as a hundred, because nothing in these tests
 * depends on the moment. The soak covers the other rows; its tests begin with the number of their row.
 */
export const PROOFS: Readonly<Record<number, readonly Proof[]>> = {
  7: [{ file: 'test/api/clock-jumps.test.ts' }],
  14: [{ file: 'test/safety/webhook-target.test.ts' }, { file: 'test/api/webhooks.test.ts' }],
  15: [{ file: 'test/api/bad-bodies.test.ts', named: /^a (bad )?body/ }],
  16: [
    { file: 'test/api/request-body.test.ts', named: /^size/ },
    { file: 'test/api/stream.test.ts', named: /^a chunk above 1 MB/ },
  ],
  17: [{ file: 'test/api/bad-bodies.test.ts', named: /^wait/ }],
  18: [{ file: 'test/api/foreign-requests.test.ts' }],
  19: [{ file: 'test/unit/http/connections.test.ts' }],
  20: [{ file: 'test/safety/hostile-archives.test.ts' }],
  21: [
    { file: 'test/unit/features/workflows/validate.test.ts' },
    { file: 'test/unit/features/workflows/hostile.test.ts' },
  ],
  23: [{ file: 'test/unit/app/cli/doctor.test.ts' }, { file: 'test/unit/features/system/container-rows.test.ts' }],
  24: [{ file: 'test/safety/refuse-to-start.test.ts', named: /deleted the lock file/ }],
  26: [{ file: 'test/safety/revoked-keys.test.ts' }, { file: 'test/api/named-keys.test.ts' }],
  27: [{ file: 'test/safety/other-users.test.ts' }, { file: 'test/api/sessions.test.ts' }],
  28: [{ file: 'test/api/management.test.ts', named: /^settings/ }],
  29: [{ file: 'test/api/payloads.test.ts', named: /^a payload/ }],
}

/** The row that a test is about; undefined: none. @param test full name, with the names of its groups before it */
export function rowOf(file: string, test: string): number | undefined {
  const named = /(?:^| > )(\d+): /.exec(test)?.[1]
  if (file.startsWith('test/soak/') && named !== undefined) return Number(named)
  const found = Object.entries(PROOFS).find(([, proofs]) =>
    proofs.some((proof) => proof.file === file && (proof.named?.test(test) ?? true)),
  )
  return found === undefined ? undefined : Number(found[0])
}
