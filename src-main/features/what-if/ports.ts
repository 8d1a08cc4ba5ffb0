/** Answers what-if questions off the event loop, which a simulation would block for seconds. */
import type { PriceTable } from '../../contract/what-if.ts'
import type { answerWhatIf, WhatIfQuestion } from './rules/answer.ts'
import type { RecordedJob } from './rules/measure.ts'

export type RecordedPage = { readonly to: 'history' | 'recorded'; readonly jobs: readonly RecordedJob[] }

export type WhatIfDraft = Omit<WhatIfQuestion, 'history' | 'recorded'> & {
  readonly workers: WhatIfQuestion['history']['workers']
  readonly isRecorded: boolean
}

/**
 * Pages are requested one by one, oldest last.
 * @throws the signal's reason on abort, Error if the calculation failed
 */
export type AnswerBeside = (
  draft: WhatIfDraft,
  pages: AsyncIterable<RecordedPage>,
  signal: AbortSignal,
) => Promise<ReturnType<typeof answerWhatIf>>

export type ReadPrices = () => Promise<PriceTable>
