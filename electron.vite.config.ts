import renderer from './src-renderer/vite.config.ts'

/** The desktop: its window shows the pages that browsers get. Main process and preload are run as they are written. */
export default { renderer }
