/** Programs that start others, or read a language of their own, in ways nobody accounts for here. */
import { opaque, type Tool } from "./options.ts";

const REASONS: readonly (readonly [why: string, names: string])[] = [
  [
    "it runs as somebody else or in another place",
    "sudo su doas run0 pkexec sg newgrp runuser setpriv capsh unshare nsenter chroot bwrap firejail proot fakeroot fakechroot systemd-run systemd-nspawn machinectl loginctl",
  ],
  [
    "it starts programs on another machine",
    "ssh sftp slogin rsh rlogin mosh autossh sshpass pdsh ansible ansible-playbook kubectl oc helm vagrant telnet ftp lftp nc ncat netcat socat",
  ],
  [
    "it may download a program and run it",
    "npx bunx pnpx yarnpkg pipx uvx deno gem cpan cpanm easy_install composer opam cabal stack ghcup rustup nvm conda mamba brew apt apt-get aptitude dpkg yum dnf rpm apk pacman snap flatpak nix nix-shell nix-env",
  ],
  [
    "it runs text of a shell that is read differently",
    "zsh ksh mksh fish csh tcsh rc es elvish nu pwsh powershell xonsh yash rbash sash",
  ],
  [
    "it runs text that is not accounted for",
    "eval source . trap alias enable hash expect tclsh wish luajit octave R Rscript julia ghci runghc runhaskell irb pry erb rake gnuplot m4 dc maxima gp ocaml guile racket scheme sbcl clisp emacs jshell groovy psql mysql sqlite3 mongo mongosh redis-cli jrunscript jjs osascript",
  ],
  [
    "it is an editor or a pager, which starts programs",
    "vi vim nvim view rvim rview vimdiff vimtutor ex ed red nano pico joe micro helix hx kak mg jed less more most pg man info w3m lynx links elinks mutt mail mailx",
  ],
  [
    "it starts or changes other programs",
    "strace ltrace gdb lldb rr perf valgrind script scriptreplay screen tmux byobu dtach abtach parallel sem rush at batch crontab anacron start-stop-daemon daemonize dbus-run-session dbus-send busctl gdbus logsave cpulimit rlwrap unbuffer torify torsocks proxychains tsocks faketime chronic vipe run-parts run-mailcap xdg-open open gio exo-open entr watchexec nodemon foreman split csplit install-info update-alternatives ld.so ld-linux-x86-64.so. ld-linux.so. tshark tcpdump nmap openvpn iftop aspell cowsay cowthink facter puppet knife pandoc latex pdflatex xelatex lualatex tex openssl gcore ssh-agent ssh-keygen ssh-keyscan gpg restic rclone borg git-shell git-upload-pack",
  ],
];

export const OPAQUE: Readonly<Record<string, Tool>> = Object.fromEntries(
  REASONS.flatMap(([why, names]) => names.split(" ").map((name) => [name, () => opaque(`${name}: ${why}`)] as const)),
);
