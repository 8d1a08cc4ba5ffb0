import { lazily } from '../lazily.tsx'

// xterm is large, and few people open a terminal.
export const Terminal = lazily(async () => (await import('./XtermView.tsx')).XtermView)
