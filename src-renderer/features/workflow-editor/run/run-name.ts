import type { RunView } from '../../../../src-main/contract/workflows.ts'

/** What a run is called: the workflow that it is of, and for one of a sweep what sets it apart. */
export const runName = ({ title, label }: Pick<RunView, 'title' | 'label'>): string =>
  label === undefined ? title : `${title}, ${label}`
