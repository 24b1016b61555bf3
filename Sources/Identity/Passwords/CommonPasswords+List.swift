extension CommonPasswords {
    /// In lower case, in the order of their UTF-8 bytes, separated by white space. What people choose when eight characters are
    /// asked for, as rankings of leaked passwords show again and again: words, names, teams and places with their usual
    /// endings, and walks over the keyboard.
    static let list = """
        !@#$%^&* !@#$%^&*( !qaz2wsx !qaz@wsx 00000000 000000000 0000000000 00000000000 000000000000 01010101 01011970 01011980
        01011981 01011982 01011983 01011984 01011985 01011986 01011987 01011988 01011989 01011990 01011991 01011992 01011993
        01011994 01011995 01011996 01011997 01011998 01011999 01012000 01012001 01012010 01012011 01234567 012345678
        0123456789 02020202 03030303 04040404 05050505 06060606 07070707 08080808 08520852 09090909 0987654321 10101010
        11111111 111111111 1111111111 11111111111 111111111111 11112222 11221122 11223344 1122334455 112233445566 11235813
        112358132 12121212 123123123 1231231234 123321123 12341234 12344321 12345123 1234512345 123454321 1234554321 123456123
        123456123456 12345654321 123456654321 12345671 12345678 123456780 123456781 1234567812345678 123456788 123456789
        1234567890 1234567890q 1234567891 12345678910 123456789a 123456789q 123456789s 123456789z 12345678a 12345678q 1234567a
        1234567q 1234567z 123456aa 123456abc 123456qq 123456qwerty 12345abc 12345qwert 1234abcd 1234qwer 123789456 123abc123
        123qwe123 123qweasd 123qweasdzxc 123qwerty 12qwaszx 13131313 1314520520 13579246 135792468 1357924680 14141414
        14142135 147147147 147258369 1472583690 147852369 14789632 147896325 15151515 159159159 159357456 15975300 159753159
        159753456 16161616 17171717 18181818 19191919 19601960 19611961 19621962 19631963 19641964 19651965 19661966 19671967
        19681968 19691969 19701970 19711971 19721972 19731973 19741974 19751975 19761976 19771977 19781978 19791979 19801980
        19811981 19821982 19831983 19841984 19851985 19861986 19871987 19881988 19891989 19901990 19911991 19921992 19931993
        19941994 19951995 19961996 19971997 19981998 19991999 1a2b3c4d 1a2s3d4f 1q2w3e4r 1q2w3e4r5 1q2w3e4r5t 1q2w3e4r5t6y
        1qaz!qaz 1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qaz@wsx 1qazxsw2 1qazzaq1 1qw23er4 1qwertyu 20002000 20012001 20022002
        20032003 20042004 20052005 20062006 20072007 20082008 20092009 20102010 20112011 20122012 20132013 20142014 20152015
        20162016 20172017 20182018 20192019 20202020 20212021 20222022 20232023 20242024 20252025 21212121 22221111 22222222
        222222222 2222222222 22222222222 222222222222 23232323 24242424 246813579 24682468 25252525 25802580 258258258
        26262626 27182818 27272727 28282828 29292929 2wsx3edc 30303030 31313131 31415926 314159265 321321321 321654987
        32323232 33333333 333333333 3333333333 33333333333 333333333333 34343434 35353535 357357357 36363636 369258147
        369369369 37373737 38383838 39393939 40404040 41414141 420weed1 42424242 43214321 43434343 44332211 44444444 444444444
        4444444444 44444444444 444444444444 45454545 456456456 456789123 46464646 47474747 48484848 49494949 50505050
        50cent123 51515151 52013141 5201314520 52525252 53535353 54545454 55555555 555555555 5555555555 55555555555
        555555555555 56565656 56835683 57575757 5845201314 58585858 59595959 60606060 61616161 62626262 63636363 64646464
        65656565 66666666 666666666 6666666666 66666666666 666666666666 66666666a 67676767 68686868 69696969 70707070 71717171
        72727272 73737373 741852963 74747474 75395146 75757575 76543210 76767676 7758521a 77777777 777777777 7777777777
        77777777777 777777777777 78787878 789456123 7894561230 789789789 79797979 80808080 81818181 82828282 83838383 84848484
        85858585 86868686 87654321 87878787 88776655 88888888 888888888 8888888888 88888888888 888888888888 88888888a 89898989
        90909090 91919191 92929292 93939393 94949494 951753852 95959595 963852741 96969696 97979797 987321654 987654321
        9876543210 98989898 99887766 99999999 999999999 9999999999 99999999999 999999999999 a1234567 a12345678 a123456789
        a1b2c3d4 a1b2c3d4e5 a1s2d3f4 aa123456 aa12345678 aaaaaaaa aaaaaaaaa aaaaaaaaaa aaliyah1 aaliyah123 abc12345 abc123456
        abc123abc abcabcabc abcd1234 abcd12345 abcd123456 abcdefg1 abcdefg123 abcdefgh abcdefghi access01 access11 access12
        access123 access1234 access14 accesso1 acura123 admin123 admin123! admin1234 admin12345 admin2020 admin2021 admin2022
        admin2023 admin2024 admin2025 admin@123 adminadmin administrator africa123 aini1314 airborne airborne1 aircraft
        airforce airforce1 airplane airplanes alabama1 alejandra alejandro alejandro! alejandro01 alejandro1 alejandro11
        alejandro12 alejandro123 alejandro1234 alexalex alexande alexander alexander1 alexandra alexandra1 alexandria alexey01
        alexey11 alexey12 alexey123 alexey1234 alexis01 alexis11 alexis12 alexis123 alexis1234 alligator always12
        alwaysandforever alwayslove amanda01 amanda11 amanda12 amanda123 amanda1234 amazing1 amazing123 america! america01
        america1 america11 america12 america123 america1234 american american1 amethyst amorcito amoreterno andres01 andres11
        andres12 andres123 andres1234 andrew01 andrew11 andrew12 andrew123 andrew1234 andrey01 andrey11 andrey12 andrey123
        andrey1234 android1 angel101 angel123 angel1234 angel12345 angel666 angeleyes angelica angelica1 angelika angelina
        angelina1 angelito angels01 angels11 angels12 angels123 angels1234 anthony! anthony01 anthony1 anthony11 anthony12
        anthony123 anthony1234 antonio! antonio01 antonio1 antonio11 antonio12 antonio123 antonio1234 applemac april123
        aquarius aquarius1 aragorn1 argentina argentina1 arizona1 army1234 armystrong arsenal! arsenal01 arsenal1 arsenal11
        arsenal12 arsenal123 arsenal1234 asd123asd asdasdasd asdf1234 asdfasdf asdfghjk asdfghjkl asdfjkl; asdfqwer asdqwe123
        ashley01 ashley11 ashley12 ashley123 ashley1234 assassin assassin1 asshole1 asshole12 asshole123 assholes astrology
        atlanta1 atomic12 audi1234 audia4a4 august10 august12 august123 austin01 austin11 austin12 austin123 austin1234
        australia australia1 autumn01 autumn1! autumn11 autumn12 autumn123 autumn123! autumn1234 autumn2020 autumn2021
        autumn2022 autumn2023 autumn2024 autumn2025 autumn@123 avalanche awesome1 awesome12 awesome123 awesomeness azerty123
        azertyuiop babies12 baby1234 baby12345 baby2008 babybaby babyblue babyboy1 babyboy12 babyboy123 babycakes babydoll
        babydoll1 babyface babygirl babygirl! babygirl01 babygirl1 babygirl11 babygirl12 babygirl123 babygirl1234 babygurl
        babygurl1 babylove babyphat babyphat1 bacardi1 badass12 badboy12 badboy123 badgers1 badgirl1 bailey01 bailey11
        bailey12 bailey123 bailey1234 ballerina ballerina1 ballet12 balletdancer banana01 banana11 banana12 banana123
        banana1234 bananas1 bangladesh barbie12 barbie123 barbiegirl barcelona barcelona1 barney01 barney11 barney12 barney123
        barney1234 bartman1 baseball baseball! baseball01 baseball1 baseball11 baseball12 baseball123 baseball1234 baseball13
        baseball2 basketba basketball basketball1 bassfish bastard1 batman01 batman11 batman12 batman123 batman1234 bbbbbbbb
        beach123 beatrice beatriz1 beautiful beautiful1 bebesita bebo1234 benfica1 benjamin benjamin1 beretta1 beretta9
        bernard1 bernardo besiktas besiktas1 bestfriend bestfriend1 bestfriends bethany1 beyonce1 bff12345 bffs4ever bigboy12
        bigdaddy bigdaddy1 biggie12 billiards birthday birthday1 bitch123 bitch1234 bitch12345 bitches1 biteme12 biteme123
        black123 black1234 blackbelt blackberry blackberry1 blackbird blackcat blackcat1 blackdog blackhawk blackhawks
        blackjack blackjack1 blackjack21 blackmagic blackman blackout blackrose blacksabbath blackwolf bleach123 blessed!
        blessed01 blessed1 blessed11 blessed12 blessed123 blessed1234 blessing blessings blink182 blizzard blizzard1 blue1234
        blue12345 bluebell blueberry blueberry1 blueberry12 bluebird blueeyes blueeyes1 bluefish bluemoon bluesky1 blunt420
        bmw12345 bmw325is bmwbmwbmw bobmarley bobmarley1 bonita123 boston12 boston123 bowling1 bowling300 boxing12 boyfriend
        boyfriend1 brandon! brandon01 brandon1 brandon11 brandon12 brandon123 brandon1234 brasil123 brasilia bratz123 brazil01
        brazil11 brazil12 brazil123 brazil1234 brianna! brianna01 brianna1 brianna11 brianna12 brianna123 brianna1234 britney1
        brittany brittany1 bronco12 broncos1 brooklyn brooklyn1 brother1 brother12 brothers brothers1 brown123 brownie1
        brownies buckeyes buddy123 buddy1234 budlight budweiser buffalo1 bugsbunny bulldog1 bulldogs bullet12 bullets1
        bullshit bullshit1 bunny123 bunnyrabbit business business1 buster01 buster11 buster12 buster123 buster1234 butterflies
        butterfly butterfly! butterfly01 butterfly1 butterfly11 butterfly12 butterfly123 butterfly1234 butterfly2 butterfly7
        butthead butthead1 californi california california1 callofduty callofduty1 camaro12 camaro123 camaro69 camelot1
        cameron! cameron01 cameron1 cameron11 cameron12 cameron123 cameron1234 camping1 canada01 canada11 canada12 canada123
        canada1234 cancer12 cancer69 candy123 candy1234 capricorn capricorn1 captain1 captain12 captainmorgan cardinal
        cardinals carlos01 carlos11 carlos12 carlos123 carlos1234 carolina carolina1 caroline caroline1 cashmoney cashmoney1
        cassandra cassandra1 cassidy1 catherin catherine cccccccc celtic01 celtic11 celtic12 celtic123 celtic1234 celtic1888
        celtic67 challenger champion champion1 champions changeme changeme! changeme01 changeme1 changeme1! changeme11
        changeme12 changeme123 changeme123! changeme1234 changeme2020 changeme2021 changeme2022 changeme2023 changeme2024
        changeme2025 changeme@123 charger1 charger69 chargers charizard charlie! charlie01 charlie1 charlie11 charlie12
        charlie123 charlie1234 charlie2 charlotte charlotte1 cheer123 cheer1234 cheerios cheerleader cheerleader1 cheese01
        cheese11 cheese12 cheese123 cheese1234 cheesecake chelsea! chelsea01 chelsea1 chelsea1! chelsea11 chelsea12 chelsea123
        chelsea123! chelsea1234 chelsea2020 chelsea2021 chelsea2022 chelsea2023 chelsea2024 chelsea2025 chelsea@123 chelseafc
        cherokee cherokee1 cherries chevelle chevrolet chevrolet1 chevy123 chevy350 chicago1 chicago12 chicago123 chicken!
        chicken01 chicken1 chicken11 chicken12 chicken123 chicken1234 chickens children children1 china123 chiquita chocolate
        chocolate! chocolate01 chocolate1 chocolate11 chocolate12 chocolate123 chocolate1234 chris123 chris1234 chrisb123
        chrisbrown chrisbrown1 chrissy1 christ01 christ11 christ12 christ123 christ1234 christian christian1 christina
        christina1 christine christine1 christmas christmas1 christop christopher christopher1 christy1 ciara123 cinderella
        civic123 clarinet clarissa claudia1 climbing cobra123 cobra1234 college1 colombia colombia1 colorado colorado1
        commando company1 company123 computer computer! computer01 computer1 computer11 computer12 computer123 computer1234
        contrasena contraseña cookie01 cookie11 cookie12 cookie123 cookie1234 cookies1 corazon1 corolla1 corona12 corvette
        corvette! corvette01 corvette1 corvette11 corvette12 corvette123 corvette1234 counter1 counterstrike courtney
        courtney1 cowboy12 cowboy123 cowboys! cowboys01 cowboys1 cowboys11 cowboys12 cowboys123 cowboys1234 cowboys22 cowgirl1
        cowgirl12 cricket1 cricket123 crimson1 cristina crocodile crystal! crystal01 crystal1 crystal11 crystal12 crystal123
        crystal1234 cupcake1 cupcakes cutie123 cutiepie cutiepie1 cycling1 dad12345 daddy123 daddy1234 daddygirl daddysgirl
        daddyslilgirl daffyduck daisy123 daisy1234 dallas12 dallas123 dallas22 dance123 dance4life dancer12 dancer123 dancing1
        daniel01 daniel11 daniel12 daniel123 daniel1234 danielle danielle1 darkangel darkangel1 darkknight darklord darkmoon
        darkness darkness1 darkside darkstar darkwolf darthvader database davidson davidson1 dddddddd deathnote deathnote1
        december december1 default! default01 default1 default11 default12 default123 default1234 demon666 denver12 destiny!
        destiny01 destiny1 destiny11 destiny12 destiny123 destiny1234 destiny2 detroit1 deutschland devil666 devils12 diablo12
        diablo123 diamond! diamond01 diamond1 diamond11 diamond12 diamond123 diamond1234 diamonds diamonds1 dickhead dickhead1
        directioner dmitry01 dmitry11 dmitry12 dmitry123 dmitry1234 dodge123 dodge1500 dodgeram doggie12 doggies1 doggy123
        dollars1 dolphin! dolphin01 dolphin1 dolphin11 dolphin12 dolphin123 dolphin1234 dolphins dolphins1 dominic1 dominick
        dominique donald12 donaldduck dorothy1 douglas1 dragon01 dragon1! dragon11 dragon12 dragon123 dragon123! dragon1234
        dragon2020 dragon2021 dragon2022 dragon2023 dragon2024 dragon2025 dragon69 dragon@123 dragonball dragonball1
        dragonballz dragonfly dragons1 dragoon1 dream123 dreamcast dreamer1 dreamer12 dreamgirl dreaming dreams12 dreams123
        drummer1 drummer12 ducati12 ducati916 dx123456 dylan123 dylan1234 dynamite dynamite1 eagle123 eagle1234 eagles01
        eagles11 eagles12 eagles123 eagles1234 earthquake edcrfvtgb eduardo! eduardo01 eduardo1 eduardo11 eduardo12 eduardo123
        eduardo1234 education edwardcullen eeeeeeee eeyore12 eeyore123 egypt123 electric electron elephant elephant1 elephants
        elizabeth elizabeth1 emerald1 emily123 emily1234 eminem12 eminem123 emmanuel emmanuel1 emperor1 engineer engineer1
        england! england01 england1 england11 england12 england123 england1234 escalade estrella eternity eternity1
        evanescence evangelion everton! everton01 everton1 everton11 everton12 everton123 everton1234 everything excalibu
        excalibur excellent expedition explorer explorer1 explosion fabian123 fabulous facebook facebook! facebook01 facebook1
        facebook11 facebook12 facebook123 facebook1234 faith123 faith1234 faithful falcon01 falcon11 falcon12 falcon123
        falcon1234 falcons1 falcons7 fallout3 family01 family04 family05 family06 family11 family12 family123 family1234
        familyguy familyguy1 fantasia fantastic fantasy1 father12 father123 february february1 february14 fenerbahce
        fenerbahce1 fernanda fernando fernando! fernando01 fernando1 fernando11 fernando12 fernando123 fernando1234 ferrari!
        ferrari01 ferrari1 ferrari11 ferrari12 ferrari123 ferrari1234 ffffffff final123 finalfantasy fire1234 fire911a
        fireball fireball1 firebird firebird1 firefighter firefire firefly1 firefox1 firefox123 fireman1 firstlove fisherman
        fishing1 fishing123 flame123 flamingo flintstone florida1 florida123 flower01 flower11 flower12 flower123 flower1234
        flowers1 football football! football01 football1 football1! football10 football11 football12 football123 football123!
        football1234 football2 football2020 football2021 football2022 football2023 football2024 football2025 football21
        football22 football7 football@123 ford1234 fordf150 fordtruck forever! forever01 forever1 forever11 forever12
        forever123 forever1234 forever21 foreverlove formula1 fortnite fortnite1 fortnite123 france01 france11 france12
        france123 france1234 france98 francis1 francisco franklin freddy12 frederick freedom! freedom01 freedom1 freedom11
        freedom12 freedom123 freedom1234 friday123 friday13 friend01 friend11 friend12 friend123 friend1234 friends! friends01
        friends1 friends11 friends12 friends123 friends1234 friends4 friends4ever friends4life friendster frodo123 froggie1
        froggy12 froggy123 fucker12 fucker123 fuckface fuckfuck fuckit123 fuckoff1 fuckoff123 fuckthis fuckthis1 fuckyou!
        fuckyou1 fuckyou12 fuckyou123 fuckyou2 fuckyou69 futurama gabriel! gabriel01 gabriel1 gabriel11 gabriel12 gabriel123
        gabriel1234 gabriela gabriella gabriella1 gabrielle gabrielle1 galatasaray galatasaray1 galaxy12 galaxy123 gamecube
        gamer123 gamer1234 gandalf1 gandalf123 ganja420 garfield garfield1 garrett1 gators12 geheim123 gemini12 gemini123
        genesis1 geoffrey george01 george11 george12 george123 george1234 georgia1 gerald12 germany! germany01 germany1
        germany11 germany12 germany123 germany1234 getmoney getmoney1 gggggggg ginger01 ginger11 ginger12 ginger123 ginger1234
        giraffe1 girlfriend girlfriend1 gmail.com gmail123 god12345 godbless godbless1 godisgood godisgood1 godislove goldberg
        golden01 golden11 golden12 golden123 golden1234 goldeneye goldfish goldfish1 golf1234 golfer12 golfer123 golfgolf
        golfgti1 golfing1 google01 google11 google12 google123 google1234 gorgeous gorgeous1 grace123 grace1234 grandma1
        grandma12 grandpa1 green123 green1234 greenapple greenbay greenday greenday1 greenday12 greentea gregory1 gregory12
        griffin1 grownup1 guadalupe guest123 guest1234 guillermo guinness guinness1 guitar01 guitar11 guitar12 guitar123
        guitar1234 guitars1 gundam00 gundam123 gunit123 gunner12 gunners1 gymnast1 gymnastics halflife halflife2 hallo123
        halloween halloween1 halo1234 halo2halo hamster1 hamsters handsome hannah01 hannah11 hannah12 hannah123 hannah1234
        hannahmontana happiness happy123 happy1234 hardcore hardcore1 hardware hardyboyz harley01 harley11 harley12 harley123
        harley1234 harley69 harleydavidson harrison hawaii50 hawaii808 hawkeye1 heather1 heaven01 heaven11 heaven12 heaven123
        heaven1234 heavenly heineken heineken1 hell6666 hello123 hello123! hello1234 hello12345 hello2020 hello2021 hello2022
        hello2023 hello2024 hello2025 hello@123 hellohello hellokitty hellokitty1 hermosa1 hernandez hernandez1 hhhhhhhh
        high4200 hiphop12 hiphop123 hobbit12 hockey01 hockey11 hockey12 hockey123 hockey1234 hollywood hollywood1 homer123
        homework honda123 honda1234 hondacivic honey123 honey1234 hongkong hope1234 horse123 horselover horses12 hotgirl1
        hotmail.com hotmail1 hotmail123 hotmama1 hotpink1 hotrod12 hotstuff hotstuff1 hotties1 houston1 hugsandkisses humberto
        hummer12 hummerh2 hunter01 hunter11 hunter12 hunter123 hunter1234 hunting1 hurricane hurricane1 husband1 idiot123
        ihateyou ihateyou1 ihateyou2 iiiiiiii iloveadam ilovealex ilovecats ilovechris ilovedan ilovedogs ilovegod ilovegod1
        ilovehim1 ilovehorses ilovejake ilovejesus ilovejohn ilovejosh ilovematt iloveme1 iloveme123 iloveme2 ilovemike
        ilovemom ilovemusic ilovemymom ilovemyself ilovenick iloveryan ilovesex iloveu12 iloveu123 iloveyou iloveyou!
        iloveyou01 iloveyou1 iloveyou1! iloveyou11 iloveyou12 iloveyou123 iloveyou123! iloveyou1234 iloveyou14 iloveyou2
        iloveyou2020 iloveyou2021 iloveyou2022 iloveyou2023 iloveyou2024 iloveyou2025 iloveyou22 iloveyou3 iloveyou5 iloveyou7
        iloveyou@123 iloveyouso imissyou imissyou1 immortal immortal1 imperial impossible impreza1 incredible india123
        india1234 indonesia indonesia1 infinity infinity1 instagram instagram1 integra1 internet internet! internet01
        internet1 internet11 internet12 internet123 internet1234 inuyasha1 invincible invisible iphone12 ireland1 ironman1
        isabella isabella1 isabelle istanbul istanbul1 italia01 italia11 italia12 italia123 italia1234 italiano jackdaniel
        jackdaniels jackson1 jackson12 jackson5 jacob123 jacob1234 jacobblack jacqueline jagermeister jaguar01 jaguar11
        jaguar12 jaguar123 jaguar1234 jamaica1 jamaica123 january1 january12 japan123 jasmine! jasmine01 jasmine1 jasmine11
        jasmine12 jasmine123 jasmine1234 jason123 jason1234 jeep1234 jeffhardy jeffhardy1 jeffrey1 jennifer jennifer!
        jennifer01 jennifer1 jennifer11 jennifer12 jennifer123 jennifer1234 jeremiah jeremy12 jessica! jessica01 jessica1
        jessica11 jessica12 jessica123 jessica1234 jesus123 jesus1234 jesus4me jesus777 jesuschrist jesuschrist1 jesusfreak
        jesusislord jesuslove jesussaves jetta123 jimmy123 jjjjjjjj johnathan johncena johncena1 johncena12 johnjohn johnny12
        johnny123 johnson1 jonas123 jonasbrothers jonathan jonathan1 jordan01 jordan11 jordan12 jordan123 jordan1234 jordan23
        joseluis josemaria joseph01 joseph11 joseph12 joseph123 joseph1234 josephine joshua01 joshua11 joshua12 joshua123
        joshua1234 juancarlos juanpablo julian123 juliana1 juliette jupiter1 jupiter12 justice1 justin01 justin11 justin12
        justin123 justin1234 justinbieber justinbieber1 juventus juventus1 kangaroo karate12 karate123 katherine katherine1
        kathleen kathryn1 katyperry kawasaki kawasaki1 kenneth1 kennwort kevin123 kevin1234 keyboard keyboard1 killer01
        killer11 killer12 killer123 killer1234 kimberly kimberly1 king1234 king12345 kingdom1 kingdomhearts kingking kingkong
        kirsten1 kisses12 kisskiss kissme12 kissme123 kitten12 kitten123 kittens1 kitty123 kittycat kittycat1 kkkkkkkk
        knight01 knight11 knight12 knight123 knight1234 knights1 kristen1 kristin1 kristina kristine lacrosse ladygaga
        lakers01 lakers11 lakers12 lakers123 lakers1234 lakers24 lamborghini lamborghini1 lancelot lancer12 laptop123 lasvegas
        lasvegas1 lauren01 lauren11 lauren12 lauren123 lauren1234 lawrence leagueoflegends legend12 legend123 legends1
        legolas1 legolas123 leo12345 leonardo leonardo1 letmein! letmein01 letmein1 letmein1! letmein11 letmein12 letmein123
        letmein123! letmein1234 letmein2 letmein2020 letmein2021 letmein2022 letmein2023 letmein2024 letmein2025 letmein@123
        letmeinn liberty1 libra123 library1 lightning lightning1 lilwayne lilwayne1 lily1234 lindsay1 linkedin linkedin1
        linkinpark linkinpark1 lion1234 liverpool liverpool! liverpool01 liverpool1 liverpool1! liverpool11 liverpool12
        liverpool123 liverpool123! liverpool1234 liverpool2020 liverpool2021 liverpool2022 liverpool2023 liverpool2024
        liverpool2025 liverpool@123 lizard12 llllllll login123 login1234 lollipop lollipop1 lollypop london01 london11
        london12 london123 london1234 london2012 longhorn longhorns lordoftherings lorraine loser123 losers12 lotr1234
        louisiana love1234 love12345 love123456 love1995 love1996 love2000 love2008 love2009 love2010 love2011 love2012
        love4ever love4life loveable lovebird lovebug1 lovebug12 lovehate1 lovehurts loveislife lovejesus loveless lovelife
        lovelife1 lovelove lovely01 lovely11 lovely12 lovely123 lovely1234 lovelygirl loveme11 loveme12 loveme123 loveme22
        lover123 lover1234 loverboy loverboy1 lovergirl lovers123 lovestory lovestory1 loveyou! loveyou1 loveyou12 loveyou123
        loveyou2 loveyou3 lucas123 lucifer1 lucifer666 lucky123 lucky1234 lucky13a lucky777 lucky7777 luckydog luckyme1
        luckyone luckystar macintosh mackenzie mackenzie1 madeleine madeline madison1 madison12 madison123 madrid123 maggie01
        maggie11 maggie12 maggie123 maggie1234 makayla1 malaysia malaysia1 manager1 manager123 manchester manchester1
        manhattan manuel01 manuel11 manuel12 manuel123 manuel1234 manunited manutd123 marcela1 marcelo1 march123 marcos01
        marcos11 marcos12 marcos123 marcos1234 marcus12 margaret margaret1 margarita maria123 maria1234 mariah123 mariajose
        mariana1 marianne marie123 marijuana marina01 marina11 marina12 marina123 marina1234 marine01 marine11 marine12
        marine123 marine1234 marines1 marines12 mario123 mariposa marissa1 marlboro marlboro1 marley12 marriage married1
        martha12 martin01 martin11 martin12 martin123 martin1234 martinez martinez1 maryjane maryjane1 master01 master1!
        master11 master12 master123 master123! master1234 master2020 master2021 master2022 master2023 master2024 master2025
        master@123 matthew! matthew01 matthew1 matthew11 matthew12 matthew123 matthew1234 maurice1 maverick maverick1 maxim123
        maxim1234 maxwell1 melanie1 melissa1 mercedes mercedes1 mercedes12 mercedesbenz mercury1 meredith merlin12 merlin123
        metallica metallica1 mexican1 mexicano mexico01 mexico11 mexico12 mexico123 mexico1234 miamor123 michael! michael01
        michael1 michael11 michael12 michael123 michael1234 michael2 michaela michelle michelle! michelle01 michelle1
        michelle11 michelle12 michelle123 michelle1234 michigan michigan1 mickey01 mickey11 mickey12 mickey123 mickey1234
        mickeymouse microsoft microsoft1 midnight midnight1 midnight12 miguel01 miguel11 miguel12 miguel123 miguel1234
        mileycyrus military million1 millionaire millions mima1234 minecraft minecraft1 minecraft123 minnesota minnie01
        minnie11 minnie12 minnie123 minnie1234 minniemouse minotaur missyou1 mitchell mitchell1 mitsubishi mmmmmmmm mohamed1
        mohammad mohammed mom&dad1 mom12345 momanddad momdad12 mommy123 mommy1234 mommyof2 mommyof3 monday12 money123
        money1234 moneyman moneymoney monica12 monique1 monitor1 monkey01 monkey11 monkey12 monkey123 monkey1234 monkey69
        monkeyman monkeys1 montana1 montreal moonbeam moonbeam1 moonlight moonlight1 moonstar morgan01 morgan11 morgan12
        morgan123 morgan1234 motdepasse mother12 mother123 motherfucker motocross motorbike motorcycle motorola mountain
        mountain1 mountaindew mountains muhammad muhammad1 music123 music1234 musiclover musicman mustang! mustang01 mustang1
        mustang11 mustang12 mustang123 mustang1234 mustang5 mustang65 mustang66 mustang67 mustang68 mustang69 mustang99
        mustanggt myangel1 myangels mybabies mybaby12 mybaby123 mybabyboy mybabygirl myboys12 myfamily myfamily1 mygirls2
        mykids123 mylife12 mylife123 mylove11 mylove12 mylove123 mypass123 mypassword mypassword1 myspace1 myspace11 myspace12
        myspace123 myspace2 naruto01 naruto11 naruto12 naruto123 naruto1234 nascar03 nascar08 nascar12 nascar123 nascar24
        nascar88 natalia1 natalie! natalie01 natalie1 natalie11 natalie12 natalie123 natalie1234 natasha! natasha01 natasha1
        natasha11 natasha12 natasha123 natasha1234 nathan01 nathan11 nathan12 nathan123 nathan1234 nathaniel nathaniel1
        naughty1 navy1234 navyseal navyseals nebraska neptune1 network! network01 network1 network11 network12 network123
        network1234 newpass1 newpass123 newpassword newuser1 newyork1 newyork12 newyork123 nicholas nicholas1 nicolas1
        nicole01 nicole11 nicole12 nicole123 nicole1234 nigeria1 nighthawk nightmare nightmare1 nightowl nightwing nightwish
        nikita01 nikita11 nikita12 nikita123 nikita1234 ninja123 ninja1234 ninjas12 nintendo nintendo1 nintendo64 nirvana1
        nirvana123 nissan12 nissan123 nnnnnnnn nokia123 nokia5800 nokia6300 nopassword notebook nothing! nothing01 nothing1
        nothing11 nothing12 nothing123 nothing1234 november november1 nuclear1 ocean123 october1 october10 october31 office01
        office11 office12 office123 office1234 oklahoma oldman12 oldpassword oldschool oldschool1 oliver01 oliver11 oliver12
        oliver123 oliver1234 olivia01 olivia11 olivia12 olivia123 olivia1234 onedirection onedirection1 onepiece onepiece1
        oooooooo oracle123 orange01 orange11 orange12 orange123 orange1234 orchid12 outdoors p4ssw0rd p@$$w0rd p@$$word
        p@ss1234 p@ssw0rd p@ssw0rd! p@ssw0rd01 p@ssw0rd1 p@ssw0rd1! p@ssw0rd11 p@ssw0rd12 p@ssw0rd123 p@ssw0rd123!
        p@ssw0rd1234 p@ssw0rd2020 p@ssw0rd2021 p@ssw0rd2022 p@ssw0rd2023 p@ssw0rd2024 p@ssw0rd2025 p@ssw0rd@123 p@ssword
        p@ssword! p@ssword01 p@ssword1 p@ssword11 p@ssword12 p@ssword123 p@ssword1234 pa$$w0rd pa$$word pa55word packers!
        packers01 packers1 packers11 packers12 packers123 packers1234 pakistan pakistan1 pakistan123 paladin1 pancakes
        panda123 pandabear panther! panther01 panther1 panther11 panther12 panther123 panther1234 panthera panthers paradise
        paradise1 paramore paramore1 paris123 paris1234 parola123 parrot12 pass123! pass1234 pass12345 pass123456 pass2020
        pass2021 pass2022 pass2023 pass2024 pass2025 pass@123 pass@word1 passcode passpass passport passw0rd passw0rd!
        passw0rd01 passw0rd1 passw0rd1! passw0rd11 passw0rd12 passw0rd123 passw0rd123! passw0rd1234 passw0rd2020 passw0rd2021
        passw0rd2022 passw0rd2023 passw0rd2024 passw0rd2025 passw0rd@123 passwd123 password password! password!! password.
        password.com password0 password00 password01 password1 password1! password10 password11 password12 password123
        password123! password1234 password12345 password123456 password13 password2 password2020 password2021 password2022
        password2023 password2024 password2025 password21 password22 password3 password4 password5 password6 password69
        password7 password77 password8 password88 password9 password99 password? password@123 password_ passwords passwort
        patience patricia patricia1 patrick! patrick01 patrick1 patrick11 patrick12 patrick123 patrick1234 patriots patriots1
        pauline1 peaches1 peacock1 pedro123 pedro1234 pegasus1 penelope penguin1 penguin123 penguins penguins1 pepper01
        pepper11 pepper12 pepper123 pepper1234 perfect1 perfect123 peterpan peterpan1 philip12 philippine philippines phillip1
        phoenix! phoenix01 phoenix1 phoenix11 phoenix12 phoenix123 phoenix1234 phoenix7 photobucket piglet12 pikachu1
        pikachu123 pilot123 pineapple pink1234 pink12345 pinkfloyd pinkfloyd1 pinklady pinkpink pinky123 pisces12 platinum
        platinum1 playboy1 playboy12 playboy123 playboy69 player01 player11 player12 player123 player1234 playstation
        playstation1 playstation2 playstation3 pokemon! pokemon01 pokemon1 pokemon11 pokemon12 pokemon123 pokemon1234 poker123
        pokerface pokerface1 poland01 poland11 poland12 poland123 poland1234 polska12 polska123 ponyboy1 pooh1234 poohbear
        poohbear1 poohbear12 popcorn1 pornstar pornstar1 porsche! porsche01 porsche1 porsche11 porsche12 porsche123
        porsche1234 porsche9 porsche911 portland portugal portugal1 pppppppp precious precious1 precious12 precious123
        priceless prince12 prince123 princes1 princesa princesa1 princess princess! princess01 princess1 princess11 princess12
        princess123 princess1234 princess13 princess2 princess21 princess3 princess4 princess5 princess7 priscilla private1
        puertorico puertorico1 puppies1 puppy123 puppydog puppylove puppylove1 purple01 purple11 purple12 purple123 purple1234
        purple13 purple22 purplehaze pussycat pussycat1 pw123456 q1234567 q123456789 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6
        qaz123wsx qazqazqaz qazwsx123 qazwsxedc qazxswedc qq123456 qqqqqqqq quantum1 queen123 queenbee queenbee1 qwe!@#123
        qwe123qwe qweasd123 qweasdyxc qweasdzxc qweqweqwe qwer1234 qwerasdf qwerty01 qwerty1! qwerty11 qwerty12 qwerty123
        qwerty123! qwerty1234 qwerty12345 qwerty123456 qwerty2020 qwerty2021 qwerty2022 qwerty2023 qwerty2024 qwerty2025
        qwerty99 qwerty@123 qwertyqwerty qwertyui qwertyuio qwertyuiop qwertzui qwertzuiop rabbit12 rabbit123 rachel01
        rachel11 rachel12 rachel123 rachel1234 racing12 racing123 rafael01 rafael11 rafael12 rafael123 rafael1234 raiders!
        raiders01 raiders1 raiders11 raiders12 raiders123 raiders1234 rainbow! rainbow01 rainbow1 rainbow11 rainbow12
        rainbow123 rainbow1234 rainbows ranger01 ranger11 ranger12 ranger123 ranger1234 rangers! rangers01 rangers1 rangers11
        rangers12 rangers123 rangers1234 raven123 ravens52 raymond1 realmadrid realmadrid1 rebecca! rebecca01 rebecca1
        rebecca11 rebecca12 rebecca123 rebecca1234 redbull1 reddragon redhead1 redneck1 redneck123 redrose1 redsox04 redsox12
        redsox123 redsox2004 redwine1 redwings redwings1 remember remember1 remington rey619619 rfvtgbyhn ricardo! ricardo01
        ricardo1 ricardo11 ricardo12 ricardo123 ricardo1234 richard! richard01 richard1 richard11 richard12 richard123
        richard1234 rihanna1 rihanna123 robert01 robert11 robert12 robert123 robert1234 roberto! roberto01 roberto1 roberto11
        roberto12 roberto123 roberto1234 robertpattinson roblox12 roblox123 rockandroll rocknroll rockon12 rockstar rockstar1
        rockstar12 rockstar123 rocky123 rocky1234 rockyou1 rockyou123 rockyou2 rodrigo1 rodriguez rooster1 root1234 rootroot
        rose1234 rosemary roses123 roxanne1 rrrrrrrr ruby1234 rugby123 rugrats1 runescape runescape1 runner12 runner123
        running1 russell1 russia01 russia11 russia12 russia123 russia1234 ryan1234 s1234567 sagittarius sailor12 sailormoon
        salvador samantha samantha! samantha01 samantha1 samantha11 samantha12 samantha123 samantha1234 samsung! samsung01
        samsung1 samsung11 samsung12 samsung123 samsung1234 samurai! samurai01 samurai1 samurai11 samurai12 samurai123
        samurai1234 sanchez1 sandra12 santiago sapphire sasuke01 sasuke11 sasuke12 sasuke123 sasuke1234 satan666 saturday
        saturn12 savannah savannah1 saxophone scarlett school01 school11 school12 school123 school1234 science1 scooby01
        scooby11 scooby12 scooby123 scooby1234 scoobydoo scoobydoo1 scooter1 scooter2 scorpio1 scorpio11 scorpion scorpion!
        scorpion01 scorpion1 scorpion11 scorpion12 scorpion123 scorpion1234 scotland scotland1 scott123 scrappy1 seagull1
        seattle1 sebastian sebastian! sebastian01 sebastian1 sebastian11 sebastian12 sebastian123 sebastian1234 secret01
        secret11 secret12 secret123 secret1234 secrets1 security security1 security123 selenagomez semperfi semperfi1 senha123
        september september1 serenity serenity1 sergey01 sergey11 sergey12 sergey123 sergey1234 sergio01 sergio11 sergio12
        sergio123 sergio1234 server01 server11 server12 server123 server1234 service1 service123 sex12345 sexsexsex sexy1234
        sexy12345 sexyback sexyboy1 sexygirl sexylady sexymama sexything shadow01 shadow11 shadow12 shadow123 shadow1234
        shannon1 shelby12 sheldon1 shinobi1 shiny123 shitface shithead shithead1 shotgun1 silver01 silver11 silver12 silver123
        silver1234 silverado silverado1 simpsons simpsons1 singapore singapore1 sister12 sister123 sisters1 sisters2
        skateboard skateboarding skater123 skyline1 skyline34 skywalker skywalker1 slimshady slimshady1 slipknot slipknot1
        slipknot666 smile123 smile1234 smiley123 smirnoff smith123 smoke420 snake123 snapchat sniper01 sniper11 sniper12
        sniper123 sniper1234 snoopdog snoopdogg snoopy01 snoopy11 snoopy12 snoopy123 snoopy1234 snowball snowball1 snowboard
        snowboard1 snowboarding snowflake snowman1 snowwhite soccer01 soccer10 soccer11 soccer12 soccer123 soccer1234 soccer13
        soccer22 sofia123 sofia1234 softball softball1 softball12 software soldier! soldier01 soldier1 soldier11 soldier12
        soldier123 soldier1234 something something1 sophie01 sophie11 sophie12 sophie123 sophie1234 sorcerer soulmate
        soulmate1 southpark southpark1 spain123 sparrow1 spartans spencer1 spider01 spider11 spider12 spider123 spider1234
        spiderman spiderman1 spiders1 spirit01 spirit11 spirit12 spirit123 spirit1234 spongebob spongebob1 spongebob12
        spongebob123 sporting1 spring01 spring1! spring11 spring12 spring123 spring123! spring1234 spring2020 spring2021
        spring2022 spring2023 spring2024 spring2025 spring@123 squidward squirrel squirrel1 ssssssss stallion stanley1
        star1234 star12345 starburst starcraft stardust starfish stargate stargazer starlight stars123 startrek starwars
        starwars1 starwars12 starwars123 steelers steelers! steelers01 steelers1 steelers11 steelers12 steelers123
        steelers1234 steelers7 stephani stephanie stephanie! stephanie01 stephanie1 stephanie11 stephanie12 stephanie123
        stephanie1234 stephen1 steven01 steven11 steven12 steven123 steven1234 stonecold stonecold1 stoner420 strawberr
        strawberry student! student01 student1 student11 student12 student123 student1234 stupid12 stupid123 subaru12
        subaru123 success1 success123 sucker12 sugar123 sugar1234 summer01 summer02 summer03 summer04 summer05 summer06
        summer07 summer08 summer09 summer1! summer10 summer11 summer12 summer123 summer123! summer1234 summer13 summer2020
        summer2021 summer2022 summer2023 summer2024 summer2025 summer69 summer99 summer@123 summertime sunday12 sunflower
        sunflower1 sunny123 sunny1234 sunnyday sunnysun sunrise1 sunset12 sunset123 sunshine sunshine! sunshine01 sunshine1
        sunshine11 sunshine12 sunshine123 sunshine1234 sunshine13 sunshine2 sunshine7 supercool superdog superfly supergirl
        supergirl1 superior superman superman! superman01 superman1 superman11 superman12 superman123 superman1234 supermario
        supermom supernatural supernatural1 supernova supersexy supersonic superstar superstar1 superstar12 superuser support1
        support123 supreme1 surfer12 surfer123 surferboy surfing1 surfsup1 susanna1 suzuki12 suzuki123 svetlana! svetlana01
        svetlana1 svetlana11 svetlana12 svetlana123 svetlana1234 swallow1 sweet123 sweet1234 sweetheart sweetie1 sweetness
        sweetpea sweetpea1 sweety123 swimmer1 swimming swimming1 sydney01 sydney11 sydney12 sydney123 sydney1234 sysadmin
        sysadmin1 system01 system11 system12 system123 system1234 tagged123 tatiana! tatiana01 tatiana1 tatiana11 tatiana12
        tatiana123 tatiana1234 taurus12 taylor01 taylor11 taylor12 taylor123 taylor1234 taylor13 taylorswift taz12345 tazmania
        teacher! teacher01 teacher1 teacher11 teacher12 teacher123 teacher1234 teamo123 teamo1234 teamoamor teamomucho
        teenager teletubbies temp1234 temppass tennessee tennis11 tennis12 tennis123 tequiero tequiero1 tequila1 terrance
        test123! test1234 test12345 test2020 test2021 test2022 test2023 test2024 test2025 test@123 testing! testing01 testing1
        testing11 testing12 testing123 testing1234 testtest texas123 texas1234 thailand thailand1 thanksgiving theodore
        thepassword therese1 therock1 thomas01 thomas11 thomas12 thomas123 thomas1234 thunder1 thunder12 thunder123
        thunderbird thursday tiffany1 tiffany12 tiger123 tiger1234 tigers123 tigger01 tigger11 tigger12 tigger123 tigger1234
        timothy1 tinker12 tinkerbe tinkerbell tinkerbell1 together together1 together4ever toor1234 tornado1 toronto1 toyota12
        toyota123 treasure treasure1 trinity! trinity01 trinity1 trinity11 trinity12 trinity123 trinity1234 trinity3 tripleh1
        tristan1 trojans1 trombone trucker1 trucks12 trueblue truelove truelove1 truelove12 trumpet1 trustgod trustme1
        trustno1 trustno1! trustno11 tsunami1 tttttttt tuesday1 tulips12 tupac123 tupac2pac tupacshakur turkey01 turkey11
        turkey12 turkey123 turkey1234 turtle12 turtle123 turtles1 turtles2 tweety11 tweety12 tweety123 tweetybird twilight
        twilight1 twins123 twins222 twitter1 twitter123 tyler123 tyler1234 ukraine1 undertaker undertaker1 unicorn1 unicorn123
        unicorns universe universe1 university user1234 user12345 username username1 usmarine usmc1234 usmc1775 uuuuuuuu
        valentin valentina valentine valentine1 valerie1 vampire1 vampires vancouver vanessa! vanessa01 vanessa1 vanessa11
        vanessa12 vanessa123 vanessa1234 venezuela verizon1 veronica veronica1 veronika victor01 victor11 victor12 victor123
        victor1234 victoria victoria1 vietnam1 viktor01 viktor11 viktor12 viktor123 viktor1234 viktoria vincent1 violet12
        violet123 violin12 viper123 viper1234 vipers12 virginia virginia1 virgo123 vladimir vodafone vodka123 volcano1
        volkswag volkswagen volleyball volleyball1 vvvvvvvv w1234567 wachtwoord warcraft warcraft1 warcraft3 warhammer
        warhammer40k warlock1 warrior! warrior01 warrior1 warrior11 warrior12 warrior123 warrior1234 warriors water123
        water1234 waterfall waterloo watermelon watermelon1 waterpolo wedding1 wednesday weed1234 weed4200 weezy123 welcome!
        welcome01 welcome1 welcome1! welcome11 welcome12 welcome123 welcome123! welcome1234 welcome2 welcome2020 welcome2021
        welcome2022 welcome2023 welcome2024 welcome2025 welcome@123 wendy123 wesson12 whatever whatever! whatever01 whatever1
        whatever11 whatever12 whatever123 whatever1234 whatever2 whatsapp whiskey1 white123 whiteboy whiteboy1 whitetiger
        whitewolf whitney1 wii12345 wildcat1 wildcats william! william01 william1 william11 william12 william123 william1234
        winchest winchester windows1 windows10 windows7 windows98 windowsxp winner12 winner123 winnie12 winnie123
        winniethepooh winter01 winter1! winter10 winter11 winter12 winter123 winter123! winter1234 winter2020 winter2021
        winter2022 winter2023 winter2024 winter2025 winter@123 wisconsin witch123 wizard01 wizard11 wizard12 wizard123
        wizard1234 wizards1 woaini123 woaini1314 woaini520 wodemima wolf1234 wolverin wolverine wolverine1 wonderboy wonderful
        wonderland wonderwoman worldofwarcraft wrangler wrestler wrestler1 wrestling wrestling1 wsxedcrfv wwe12345 wwwwwwww
        x1234567 xbox3600 xboxlive xxxxxxxx yahoo.com yahoo123 yamaha12 yamaha123 yamahar1 yankees! yankees01 yankees1
        yankees11 yankees12 yankees123 yankees1234 yankees2 yellow01 yellow11 yellow12 yellow123 yellow1234 yolanda1 younger1
        youngman youngmoney youngmoney1 yourpassword youtube1 youtube123 yvonne12 yyyyyyyy z1234567 zachary1 zachary12
        zaq12wsx zaq1xsw2 zaq1zaq1 zaqwsxcde zaqxswcde zelda123 zxc123zxc zxcasdqwe zxcv1234 zxcvbnm, zxcvbnm1 zxcvbnm123
        zxczxczxc zzzzzzzz
        """
}
