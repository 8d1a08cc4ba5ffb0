export const COMFYUI = 'https://github.com/comfyanonymous/ComfyUI'

/** Its name among node packages, where one can be named. */
export const COMFYUI_NAME = 'ComfyUI'
export const COMFYUI_VERSION = /^v?\d+(?:\.\d+)+$/
