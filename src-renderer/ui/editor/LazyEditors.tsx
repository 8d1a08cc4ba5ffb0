import { loadCode } from '../../browser/load-code.ts'
import { lazily } from '../LazyView.tsx'

// The editor is as large as everything else together, and few pages have one.
export const CodeEditor = lazily(async () => (await loadCode(() => import('./JsonEditor.tsx'))).JsonEditor)

export const ProseEditor = lazily(async () => (await loadCode(() => import('./ProseView.tsx'))).ProseView)
