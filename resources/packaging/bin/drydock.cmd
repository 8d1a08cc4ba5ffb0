@echo off
rem The command of a packaged Drydock, on the Node that came with it.
setlocal
rem For hints, which are written as the caller calls this.
if not defined DRYDOCK_CALLED_BY set "DRYDOCK_CALLED_BY=%~f0"
if not defined DRYDOCK_DESKTOP if exist "%~dp0..\..\..\Drydock.exe" set "DRYDOCK_DESKTOP=%~dp0..\..\..\Drydock.exe"
"%~dp0..\node_modules\node\bin\node.exe" "%~dp0..\out\desktop\cli.js" %*
