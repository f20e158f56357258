/** Programs that never start what their arguments name: a word or a text that looks like a command is only data there. */
export const OWN_WORK: ReadonlySet<string> = new Set(
  `echo printf true false : test [ cd pwd export readonly local unset read return exit break continue shift umask ulimit times type kill bg fg wait getopts
   cat tac nl rev head tail wc cut paste join comm fold fmt expand unexpand tr od hexdump xxd hexyl strings base32 base64 cksum b2sum md5sum sha1sum sha256sum
   sha512sum shasum ls dir stat file du df cp mv rm rmdir mkdir ln touch chmod chown chgrp truncate mktemp basename dirname realpath readlink tee cmp diff
   grep egrep fgrep zgrep zcat gzip gunzip bzip2 xz zstd unzip column seq expr factor sleep uname nproc whoami id groups hostname uptime which whereis
   tput clear reset ps pgrep pkill killall free lsof logger notify-send say cal printenv tty yes numfmt shuf ptx tsort pr look jq ping dig host nslookup
   getent locale iconv dos2unix sync mkfifo shred mountpoint`.split(/\s+/),
);
